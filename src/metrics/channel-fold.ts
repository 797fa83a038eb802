import type { MarketId } from "../domain/ids.ts";
import type { Note } from "../kernel/note.ts";
import { Histogram } from "./histogram.ts";

/** The lag between public trade and user event, in milliseconds; null without samples. */
export interface OwnTradeLags {
  readonly ownTradeLagP50Ms: number | null;
  readonly ownTradeLagP99Ms: number | null;
  readonly ownTradeLagMaxMs: number | null;
}

/** Folds the notes about single channels. */
export class ChannelFold {
  /** Since when a market has had no stream. */
  readonly #closed = new Map<MarketId, number>();
  readonly #lags = new Map<MarketId, Histogram>();

  /** A market without a stream learns of no order's end until its book is live again. */
  book({ marketId, state }: Extract<Note, { type: "bookState" }>, nowMs: number): void {
    if (state === "live") this.#closed.delete(marketId);
    else if (state === "closed" && !this.#closed.has(marketId)) this.#closed.set(marketId, nowMs);
  }

  ownTrade(marketId: MarketId, lagMs: number): void {
    let lags = this.#lags.get(marketId);
    if (lags === undefined) this.#lags.set(marketId, (lags = new Histogram()));
    lags.add(Math.abs(lagMs));
  }

  /** Since when the market has had no stream; undefined while it has one. A dead channel is read over REST. */
  closedSinceMs(marketId: MarketId): number | undefined {
    return this.#closed.get(marketId);
  }

  /** Over the given markets; the percentiles are those of the market with the highest. */
  lags(markets: ReadonlySet<MarketId>): OwnTradeLags {
    const at = (share: number): number | null => {
      const values = [...markets].flatMap((id) => this.#lags.get(id)?.percentile(share) ?? []);
      return values.length === 0 ? null : Math.round(Math.max(...values));
    };
    return { ownTradeLagP50Ms: at(0.5), ownTradeLagP99Ms: at(0.99), ownTradeLagMaxMs: at(1) };
  }
}
