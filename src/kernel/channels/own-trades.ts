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
  readonly orderId: OrderId;
  /** Which message has arrived, and when, our clock. */
  readonly shownBy: "public" | "user";
  readonly atMs: number;
  isQueried: boolean;
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
      this.#waiting.set(key, {
        marketId,
        orderId,
        shownBy: by,
        atMs: nowMs,
        isQueried: by === "user",
      });
      return undefined;
    }
    if (other.shownBy === by) return undefined;
    this.#waiting.delete(key);
    return by === "user" ? nowMs - other.atMs : other.atMs - nowMs;
  }

  /** A market with a user event older than `limitMs` whose public trade has not come, if there is one. Forgets all older trades. */
  overdueMarket(limitMs: number, nowMs: number): MarketId | undefined {
    if (this.#waiting.size === 0) return undefined;
    for (const [key, { marketId, shownBy, atMs }] of this.#waiting) {
      if (nowMs - atMs < limitMs) return undefined;
      this.#waiting.delete(key);
      if (shownBy === "user") return marketId;
    }
    return undefined;
  }

  /** The order of a public trade older than `waitMs` whose user event has not come: its fills have to be queried. Each is returned once. */
  nextToQuery(waitMs: number, nowMs: number): OrderId | undefined {
    if (this.#waiting.size === 0) return undefined;
    for (const waiting of this.#waiting.values()) {
      if (waiting.isQueried || nowMs - waiting.atMs < waitMs) continue;
      waiting.isQueried = true;
      return waiting.orderId;
    }
    return undefined;
  }

  /** When the next trade is to be queried, after `waitMs`, or is overdue, after `limitMs`; Infinity for none. */
  nextMs(waitMs: number, limitMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { atMs, isQueried } of this.#waiting.values()) {
      nextMs = Math.min(nextMs, atMs + (isQueried ? limitMs : waitMs));
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
