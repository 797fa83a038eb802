import type { MarketId } from "../../domain/ids.ts";
import type { Timer, TimerHandle } from "../../ports/clock.ts";
import type { Block } from "../../exchange/records.ts";
import { streamLimits } from "../../spec/limits.ts";
import { encodePush } from "../../spec/stream.ts";
import { tickers } from "../tickers.ts";
import type { VenueContext } from "../venue-context.ts";
import { wireLevels } from "../wire.ts";
import { marketChannel } from "./block-pushes.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Shortest and longest time between two tickers (D27). */
const TICKER_MS = 1000;
const TICKER_AT_LEAST_MS = 5000;

const tickerName = { kind: "ticker", parameter: "", key: "ticker", text: "ticker" } as const;

type PushContext = Pick<VenueContext, "exchange" | "clock" | "settle">;

/**
 * The two channels that are pushed on a timer (D27): `depthSnapshot` of markets whose book changed, at most every 500 ms, and
 * `ticker`, once a second while there are trades, else every 5 s. A new subscriber receives the next regular message. Timers run only
 * while there are subscribers.
 */
export class PeriodicPushes {
  readonly #context: PushContext;
  readonly #timer: Timer;
  readonly #subscriptions: Subscriptions;
  readonly #changed = new Set<MarketId>();
  #snapshotTimer: TimerHandle | undefined;
  #tickerTimer: TimerHandle | undefined;
  #tickerChanged = true;
  #sinceTickerMs = 0;

  constructor(context: PushContext, timer: Timer, subscriptions: Subscriptions) {
    this.#context = context;
    this.#timer = timer;
    this.#subscriptions = subscriptions;
  }

  note(block: Block): void {
    for (const change of block.depth) this.#changed.add(change.marketId);
    if (block.trades.length > 0) this.#tickerChanged = true;
  }

  /** Called when a client subscribes to this market's snapshots. */
  watchSnapshots(marketId: MarketId): void {
    this.#changed.add(marketId);
    this.#snapshotTimer ??= this.#timer.after(streamLimits.snapshotIntervalMs, () =>
      this.#pushSnapshots(),
    );
  }

  /** Called when a client subscribes to the tickers. */
  watchTickers(): void {
    this.#tickerChanged = true;
    this.#tickerTimer ??= this.#timer.after(TICKER_MS, () => this.#pushTickers());
  }

  close(): void {
    this.#snapshotTimer?.cancel();
    this.#tickerTimer?.cancel();
  }

  #pushSnapshots(): void {
    this.#snapshotTimer = undefined;
    const { exchange } = this.#context;
    this.#context.settle();
    let isWatched = false;
    for (const { marketId } of exchange.markets) {
      const name = marketChannel("depthSnapshot", marketId);
      if (!this.#subscriptions.has(name.key)) continue;
      isWatched = true;
      if (!this.#changed.delete(marketId)) continue;
      const book = exchange.book(marketId, streamLimits.snapshotLevels);
      // Before the first depth event there is no id that a snapshot could carry.
      if (book.lastId === 0) continue;
      const payload = {
        marketId,
        lastUpdateId: book.lastId,
        bids: wireLevels(book.bids),
        asks: wireLevels(book.asks),
        time: book.updatedAtMs,
      };
      this.#subscriptions.send(name.key, encodePush(name, payload));
    }
    if (isWatched) {
      this.#snapshotTimer = this.#timer.after(streamLimits.snapshotIntervalMs, () =>
        this.#pushSnapshots(),
      );
    }
  }

  #pushTickers(): void {
    this.#tickerTimer = undefined;
    this.#context.settle();
    if (!this.#subscriptions.has(tickerName.key)) return;
    this.#sinceTickerMs += TICKER_MS;
    if (this.#tickerChanged || this.#sinceTickerMs >= TICKER_AT_LEAST_MS) {
      this.#tickerChanged = false;
      this.#sinceTickerMs = 0;
      this.#subscriptions.send(tickerName.key, encodePush(tickerName, tickers(this.#context)));
    }
    this.#tickerTimer = this.#timer.after(TICKER_MS, () => this.#pushTickers());
  }
}
