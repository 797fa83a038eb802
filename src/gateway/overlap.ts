import type { MarketId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";

interface HeldInput {
  readonly input: Input;
  readonly receivedUs: number;
}

/** The most inputs of one overlap; far more than arrive in its few seconds. */
const HELD_MAX = 16_384;

/**
 * Merges the data of two connections while the newer one replaces the older one. The older one's inputs are pushed as usual
 * and noted here; the newer one's are held, and `remaining` returns those that the older one did not deliver. Depth is compared
 * by update id, trades by trade id; user events may be delivered twice, since orders and balances ignore repeats (§6.4).
 */
export class Overlap {
  readonly #markets: readonly MarketId[];
  readonly #held: HeldInput[] = [];
  /** `firstId` of the newer connection's first depth event. */
  readonly #firstIds = new Map<MarketId, number>();
  /** `finalId` of the older connection's last depth event. */
  readonly #lastIds = new Map<MarketId, number>();
  readonly #trades = new Set<string>();

  constructor(markets: readonly MarketId[]) {
    this.#markets = markets;
  }

  /** Records an input of the older connection. */
  note(input: Input): void {
    if (input.type === "depth") {
      this.#lastIds.set(input.event.marketId, input.event.finalId);
    } else if (input.type === "trade") {
      this.#trades.add(tradeKey(input.trade));
    }
  }

  /** Holds an input of the newer connection; false when the overlap is full. */
  hold(input: Input, receivedUs: number): boolean {
    if (this.#held.length >= HELD_MAX) return false;
    this.#held.push({ input, receivedUs });
    if (input.type === "depth") {
      const { marketId, firstId } = input.event;
      if (!this.#firstIds.has(marketId)) this.#firstIds.set(marketId, firstId);
    }
    return true;
  }

  /** In every market the newer connection's depth continues or overlaps the older one's, so that no event is missing. */
  get isJoined(): boolean {
    return this.#markets.every((marketId) => {
      const firstId = this.#firstIds.get(marketId);
      const lastId = this.#lastIds.get(marketId);
      return firstId !== undefined && lastId !== undefined && firstId <= lastId + 1;
    });
  }

  /** The held inputs that the older connection did not deliver, in order of arrival. */
  remaining(): readonly HeldInput[] {
    return this.#held.filter(({ input }) => !this.isRepeat(input));
  }

  /** The older connection delivered this input already. A lagging newer connection may repeat it after it took over. */
  isRepeat(input: Input): boolean {
    if (input.type === "depth") {
      return input.event.finalId <= (this.#lastIds.get(input.event.marketId) ?? 0);
    }
    return input.type === "trade" && this.#trades.has(tradeKey(input.trade));
  }
}

function tradeKey(trade: { readonly marketId: MarketId; readonly tradeId: string }): string {
  return `${trade.marketId} ${trade.tradeId}`;
}
