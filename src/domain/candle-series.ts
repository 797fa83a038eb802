import { type MarketCandle, candleOpen, type Resolution, resolutionSec } from "./candle.ts";
import type { Trade } from "./depth.ts";
import { unixMs } from "./time.ts";

/**
 * The newest candles of a market, one for each interval: an interval without a trade is flat at the close before it. Trades continue what
 * the venue's list of candles began.
 */
export class CandleSeries {
  readonly resolution: Resolution;
  readonly intervalMs: number;
  readonly #keep: number;
  /** Oldest first, frozen. */
  #candles: MarketCandle[] = [];

  /** `keep`: how many candles before the open one are kept. */
  constructor(resolution: Resolution, keep: number) {
    this.resolution = resolution;
    this.intervalMs = resolutionSec[resolution] * 1000;
    this.#keep = keep;
  }

  /** Start of the interval that contains this time. */
  openMs(timeMs: number): number {
    return candleOpen(this.resolution, Math.floor(timeMs / 1000)) * 1000;
  }

  /** A trade, or the candle of a shorter interval. One that is older than the newest candle changes nothing. */
  add(part: MarketCandle): void {
    const timeMs = unixMs(this.openMs(part.timeMs));
    const last = this.#candles.at(-1);
    if (last !== undefined && timeMs < last.timeMs) return;
    const isFirst = last?.timeMs !== timeMs || last.volume === 0;
    const candle = isFirst ? { ...part, timeMs } : merged(last, part);
    this.#roll(timeMs);
    this.#push(Object.freeze(candle));
  }

  /** Takes the venue's candles since `fromMs`, oldest first. Trades since `exactMs` may be missing in them. */
  replace(fromMs: number, candles: readonly MarketCandle[], exactMs: number): void {
    const open = this.#candles.at(-1);
    this.#candles = this.#candles.filter(({ timeMs }) => timeMs < fromMs);
    for (const candle of candles) this.add(candle);
    if (open === undefined || open.timeMs < this.openMs(exactMs) || open.volume === 0) return;
    const last = this.#candles.at(-1);
    if (last?.timeMs !== open.timeMs) this.add(open);
    else {
      const volume = Math.max(last.volume, open.volume);
      this.#push(Object.freeze({ ...merged(last, open), volume }));
    }
  }

  /** The candles that start at `fromMs` or later, as they are at `nowMs`, oldest first. */
  since(fromMs: number, nowMs: number): readonly MarketCandle[] {
    return [...this.closed(nowMs), ...this.#candles.slice(-1)].filter(
      ({ timeMs }) => timeMs >= fromMs,
    );
  }

  /** The candles that have ended by `nowMs`, oldest first. */
  closed(nowMs: number): readonly MarketCandle[] {
    this.#rollTo(nowMs);
    return this.#candles.slice(0, -1);
  }

  /** The candle of the present; undefined before the first trade. */
  open(nowMs: number): MarketCandle | undefined {
    this.#rollTo(nowMs);
    return this.#candles.at(-1);
  }

  #rollTo(nowMs: number): void {
    this.#roll(this.openMs(nowMs) + this.intervalMs);
  }

  /** Adds the flat candles before the interval that starts at `untilMs`. */
  #roll(untilMs: number): void {
    const last = this.#candles.at(-1);
    if (last === undefined) return;
    const { close } = last;
    const oldestMs = untilMs - (this.#keep + 1) * this.intervalMs;
    let timeMs = Math.max(last.timeMs + this.intervalMs, oldestMs);
    for (; timeMs < untilMs; timeMs += this.intervalMs) {
      const flat = { open: close, high: close, low: close, close, volume: 0 };
      this.#push(Object.freeze({ timeMs: unixMs(timeMs), ...flat }));
    }
  }

  #push(candle: MarketCandle): void {
    if (this.#candles.at(-1)?.timeMs === candle.timeMs) this.#candles.pop();
    this.#candles.push(candle);
    if (this.#candles.length > this.#keep + 1) this.#candles.shift();
  }
}

/** One trade as a part of a candle. */
export function candleOfTrade({ price, quantity: volume, timeMs }: Trade): MarketCandle {
  return { timeMs, open: price, high: price, low: price, close: price, volume };
}

function merged(first: MarketCandle, later: MarketCandle): MarketCandle {
  return {
    timeMs: first.timeMs,
    open: first.open,
    high: Math.max(first.high, later.high),
    low: Math.min(first.low, later.low),
    close: later.close,
    volume: first.volume + later.volume,
  };
}
