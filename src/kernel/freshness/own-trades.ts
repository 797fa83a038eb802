import type { MarketId, OrderId } from "../../domain/ids.ts";

/** Most trades that wait for their other message; the oldest are forgotten first. */
const WAITING_MAX = 256;

/** One side of a trade. */
export interface OwnTradeId {
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly orderId: OrderId;
}

interface WaitingTrade {
  readonly marketId: MarketId;
  /** Which message has arrived, and when, our clock. */
  readonly shownBy: "public" | "user";
  readonly atMs: number;
  isOverdue: boolean;
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
      this.#waiting.set(key, { marketId, shownBy: by, atMs: nowMs, isOverdue: false });
      return undefined;
    }
    if (other.shownBy === by) return undefined;
    this.#waiting.delete(key);
    return by === "user" ? nowMs - other.atMs : other.atMs - nowMs;
  }

  /**
   * The oldest trade that one of its messages has shown for so long that the other one is overdue: `userMs` for the user event, `publicMs` for
   * the public trade. Each is returned once. Call it until it returns undefined.
   */
  nextOverdue(userMs: number, publicMs: number, nowMs: number): WaitingTrade | undefined {
    for (const [key, trade] of this.#waiting) {
      const waitedMs = nowMs - trade.atMs;
      if (waitedMs < userMs) return undefined;
      if (waitedMs >= publicMs) {
        this.#waiting.delete(key);
        if (trade.shownBy === "user") return trade;
      } else if (trade.shownBy === "public" && !trade.isOverdue) {
        trade.isOverdue = true;
        return trade;
      }
    }
    return undefined;
  }

  /** When the next message is overdue; Infinity for none. */
  nextMs(userMs: number, publicMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { atMs, shownBy, isOverdue } of this.#waiting.values()) {
      nextMs = Math.min(nextMs, atMs + (shownBy === "user" || isOverdue ? publicMs : userMs));
    }
    return nextMs;
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
