import type { MarketId, OrderId } from "../../domain/ids.ts";

/** Most trades that wait for their other message; the oldest are forgotten first. */
const WAITING_MAX = 256;

/** One side of a trade. */
interface OwnTradeId {
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly orderId: OrderId;
}

interface WaitingTrade {
  readonly marketId: MarketId;
  /** Which message has arrived, and when, our clock. */
  readonly shownBy: "public" | "user";
  readonly atMs: number;
}

/** Own trades arrive twice: as a public trade with the order's id and as a user event. Pairs the two messages. */
export class OwnTrades {
  readonly #waiting = new Map<string, WaitingTrade>();

  /** Number of trades that wait for their other message. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * One of the two messages arrived. Returns by how much the user event came after the public trade, negative when it came before;
   * undefined while the other message is missing.
   */
  shown(
    by: WaitingTrade["shownBy"],
    { marketId, tradeId, orderId }: OwnTradeId,
    nowMs: number,
  ): number | undefined {
    const key = `${marketId} ${tradeId} ${orderId}`;
    const other = this.#waiting.get(key);
    if (other === undefined) {
      if (this.#waiting.size >= WAITING_MAX) {
        for (const oldest of this.#waiting.keys()) {
          this.#waiting.delete(oldest);
          break;
        }
      }
      this.#waiting.set(key, { marketId, shownBy: by, atMs: nowMs });
      return undefined;
    }
    if (other.shownBy === by) return undefined;
    this.#waiting.delete(key);
    return by === "user" ? nowMs - other.atMs : other.atMs - nowMs;
  }

  /** Forgets trades that have waited for `waitMs`. Returns the markets whose public trade did not come, once for each such trade. */
  giveUp(waitMs: number, nowMs: number): readonly MarketId[] {
    const lacking: MarketId[] = [];
    for (const [key, { marketId, shownBy, atMs }] of this.#waiting) {
      if (nowMs - atMs < waitMs) break;
      this.#waiting.delete(key);
      if (shownBy === "user") lacking.push(marketId);
    }
    return lacking;
  }

  /** When the next one has waited for `waitMs`; Infinity for none. */
  nextMs(waitMs: number): number {
    for (const { atMs } of this.#waiting.values()) return atMs + waitMs;
    return Number.POSITIVE_INFINITY;
  }

  /** The trade channel of this market was subscribed to anew: public trades from before do not come any more. */
  forgetUserShown(marketId: MarketId): void {
    for (const [key, waiting] of this.#waiting) {
      if (waiting.marketId === marketId && waiting.shownBy === "user") this.#waiting.delete(key);
    }
  }

  clear(): void {
    this.#waiting.clear();
  }
}
