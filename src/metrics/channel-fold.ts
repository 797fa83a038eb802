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
  /** Since when the depth channel of a market is behind. */
  readonly #depth = new Map<MarketId, number>();
  #userSinceMs: number | undefined;
  /** Since when a market has had no stream. */
  readonly #closed = new Map<MarketId, number>();
  readonly #lags = new Map<MarketId, Histogram>();

  note({ channel, state, sinceMs }: Extract<Note, { type: "channel" }>): void {
    const behindSinceMs = state === "behind" ? sinceMs : undefined;
    if (channel.kind === "userEvent") this.#userSinceMs = behindSinceMs;
    if (channel.kind !== "depth") return;
    if (behindSinceMs === undefined) this.#depth.delete(channel.marketId);
    else this.#depth.set(channel.marketId, behindSinceMs);
  }

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

  /** Since when a channel that tells of the market's book or of own orders is behind or closed; undefined when none is. */
  behindSinceMs(marketId: MarketId): number | undefined {
    const since = [this.#depth.get(marketId), this.#userSinceMs, this.#closed.get(marketId)];
    const sinceMs = Math.min(...since.map((ms) => ms ?? Number.POSITIVE_INFINITY));
    return sinceMs === Number.POSITIVE_INFINITY ? undefined : sinceMs;
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
