import type { MarketId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";

interface Held {
  readonly input: Input;
  readonly receivedUs: number;
}

/** Inputs that one overlap may hold; far above what arrives in its few seconds. */
const HELD_MAX = 16_384;

/**
 * What two connections bring while the newer one takes the older one's place. The older one's data goes on as ever and is only
 * noted here; the newer one's is held, so that the two never mix out of order, and `rest` gives what the older one did not
 * bring. Depth is told apart by update ids and trades by trade ids; user events may come twice (§6.4, orders and balances
 * know them again).
 */
export class Overlap {
  readonly #markets: readonly MarketId[];
  readonly #held: Held[] = [];
  /** `firstId` of the newer connection's first depth event. */
  readonly #firstIds = new Map<MarketId, number>();
  /** `finalId` of the older connection's last depth event. */
  readonly #lastIds = new Map<MarketId, number>();
  readonly #trades = new Set<string>();

  constructor(markets: readonly MarketId[]) {
    this.#markets = markets;
  }

  /** The older connection brought this. */
  note(input: Input): void {
    if (input.type === "depth") {
      this.#lastIds.set(input.event.marketId, input.event.finalId);
    } else if (input.type === "trade") {
      this.#trades.add(tradeKey(input.trade));
    }
  }

  /** The newer connection brought this; false when no more can be held. */
  hold(input: Input, receivedUs: number): boolean {
    if (this.#held.length >= HELD_MAX) return false;
    this.#held.push({ input, receivedUs });
    if (input.type === "depth") {
      const { marketId, firstId } = input.event;
      if (!this.#firstIds.has(marketId)) this.#firstIds.set(marketId, firstId);
    }
    return true;
  }

  /** The newer connection's depth of every market continues, or overlaps, what the older one brought: no event is missing. */
  get isJoined(): boolean {
    return this.#markets.every((marketId) => {
      const firstId = this.#firstIds.get(marketId);
      const lastId = this.#lastIds.get(marketId);
      return firstId !== undefined && lastId !== undefined && firstId <= lastId + 1;
    });
  }

  /** Everything held that the older connection did not bring, in its order. */
  rest(): readonly Held[] {
    return this.#held.filter(({ input }) => !this.isRepeat(input));
  }

  /** The older connection brought it: the newer one may lag behind and bring it only after it took over. */
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
