import { fixed } from "../../domain/fixed.ts";
import { marketId, tokenId } from "../../domain/ids.ts";
import type { Market } from "../../domain/market.ts";
import {
  keepQuotes,
  setQuotes,
  type StrategyDefinition,
  type WantedQuote,
} from "../../strategy/contract.ts";
import { z } from "zod";

/** A market that exists nowhere, and a strategy that moves one of its two quotes with each frame. */

export const standInMarket: Market = {
  marketId: marketId("1", "2"),
  baseToken: tokenId("1"),
  quoteToken: tokenId("2"),
  ticker: "BASE/QUOTE",
  makerFee: fixed("0.0002"),
  takerFee: fixed("0.0005"),
  listed: true,
  rules: { type: "grid" },
};

const MID = 2_000;
const TICK = 0.1;
/** Levels of the book on each side. */
const LEVELS = 100;
/** Levels of each side that a frame changes: a frame of a busy market has about as many. */
const CHANGES = 12;

export const firstBook = {
  lastId: 1,
  bids: levelsOf(-TICK),
  asks: levelsOf(TICK),
};

function levelsOf(tick: number): Float64Array {
  return Float64Array.from(
    Array.from({ length: LEVELS }, (_, at) => [priceAt(at, tick), 1 + at]).flat(),
  );
}

function priceAt(at: number, tick: number): number {
  return Number((MID + (at + 1) * tick).toFixed(1));
}

/** The `number`-th depth frame after the first book, 1 for the first, as the venue sends it. */
export function frameBytes(number: number, timeMs: number): Buffer {
  const changed = (tick: number) =>
    Array.from({ length: CHANGES }, (_, at) => {
      const price = priceAt((number * 5 + at * 7) % LEVELS, tick);
      return [String(price), `${1 + ((number + at) % 9)}.${100 + ((number * 37 + at) % 900)}`];
    });
  const id = firstBook.lastId + number;
  const { marketId: market } = standInMarket;
  const result = {
    marketId: market,
    bids: changed(-TICK),
    asks: changed(TICK),
    firstId: id,
    finalId: id,
    time: timeMs,
  };
  const params = { channel: `depth@${market}`, result };
  return Buffer.from(JSON.stringify({ method: "subscription", params }));
}

interface StandInState {
  turn: number;
  decidedMs: number;
  bids: readonly WantedQuote[];
  asks: readonly WantedQuote[];
}

/** Once a time of the clock: reports about own orders come with the time of their frame and change nothing. */
export const standInStrategy: StrategyDefinition<z.ZodType, StandInState> = {
  name: "stand-in",
  params: z.unknown(),
  init: () => ({ turn: 0, decidedMs: 0, bids: [], asks: [] }),
  decide({ view, state }) {
    const { mid } = view.book;
    if (mid === undefined || view.nowMs === state.decidedMs) return keepQuotes();
    state.decidedMs = view.nowMs;
    state.turn += 1;
    const size = `0.${11 + (state.turn % 7)}`;
    const away = mid * (0.002 + (state.turn % 5) * 0.0001);
    if (state.turn % 2 === 0) state.bids = [{ price: view.roundDown(mid - away), size }];
    else state.asks = [{ price: view.roundUp(mid + away), size }];
    return setQuotes({ bids: state.bids, asks: state.asks });
  },
};
