import { Prng } from "../base/prng.ts";
import type { RecordedStep } from "../backtest/recorded-step.ts";
import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import { gridRules } from "../domain/grid-rules.ts";
import { parseDurationMs } from "../domain/setting.ts";
import { unixMs } from "../domain/time.ts";

/** A market whose mid follows a random walk. The same options give the same market. */
export interface RandomMarketOptions {
  readonly seed?: number;
  /** Default 10 minutes. */
  readonly duration?: string;
  /** Default 100. */
  readonly startPrice?: number;
  /** Standard deviation of the mid's change over a minute, as a share; default 0.001. */
  readonly volatility?: number;
  /** Best ask less best bid, as a share of the mid; default 0.001. */
  readonly spread?: number;
}

const START_MS = 1_767_225_600_000;
const STEP_MS = 500;
const LEVELS = 10;
/** Probability that a trade follows a new book. */
const TRADE_CHANCE = 0.5;

/**
 * Books and trades in the form of a recording, with one book every half second.
 * Throws TouchlineError `USAGE` for an invalid `duration`.
 */
export function* randomMarket(
  marketId: MarketId,
  options: RandomMarketOptions = {},
): Generator<RecordedStep> {
  const { seed = 1, startPrice = 100, volatility = 0.001, spread = 0.001 } = options;
  const durationMs = parseDurationMs(options.duration ?? "10m");
  if (durationMs === undefined) {
    throw new TouchlineError("USAGE", `${options.duration} is not a duration, such as 30s or 10m.`);
  }
  const prng = new Prng(seed);
  const sigma = volatility * Math.sqrt(STEP_MS / 60_000);
  let mid = startPrice;
  for (let at = 0; at * STEP_MS <= durationMs; at += 1) {
    const atMs = unixMs(START_MS + at * STEP_MS);
    const timed = { marketId, timeMs: atMs };
    const step = { marketId, atMs, atUs: atMs * 1000 };
    mid *= Math.exp(sigma * prng.normal());
    const distance = (level: number): number => mid * (spread / 2) * (1 + level);
    const levels = (price: (level: number) => number): Float64Array => {
      const pairs = new Map<number, number>();
      for (let level = 0; level < LEVELS; level += 1) {
        pairs.set(price(level), Number((1 + prng.exponential(4)).toFixed(4)));
      }
      return Float64Array.from([...pairs].flat());
    };
    const bids = levels((level) => gridRules.roundDown(mid - distance(level)));
    const asks = levels((level) => gridRules.roundUp(mid + distance(level)));
    const snapshot = { ...timed, lastId: at + 1, bids, asks };
    yield { ...step, event: { type: "book", atMs, snapshot } };
    if (!prng.chance(TRADE_CHANCE)) continue;
    const isBuyerMaker = prng.chance(0.5);
    const price = (isBuyerMaker ? bids : asks)[0] ?? mid;
    const quantity = Number((0.1 + prng.exponential(2)).toFixed(4));
    const trade = { ...timed, tradeId: String(at + 1), price, quantity, isBuyerMaker };
    yield { ...step, event: { type: "trade", atMs, trade } };
  }
}
