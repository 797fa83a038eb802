import { isDeepStrictEqual } from "node:util";
import type { BenchCase } from "../bench-case.ts";
import { type Operation, orderStream } from "../matching/order-stream.ts";
import {
  type MatchingSide,
  nodejsOrderBook,
  PEER_MISSING,
  touchlineSide,
  type Traded,
} from "../matching/sides.ts";

const OPERATIONS = 100_000;

/**
 * G9: the exchange alone. Limit orders, cancels and market orders are passed in one after the other, by call; the effects of each are read.
 * Ours does all that the paper venue needs: exact money, fees, locks, histories, events. The peer matches, in doubles, and knows
 * neither money nor events. Every trade (price, quantity, maker) and the last book are compared.
 */
export const matching: BenchCase = {
  goal: "G9",
  title: "exchange: limit orders, cancels, market orders",
  unit: "per-second",
  async prepare(scale) {
    const operations = orderStream(Math.round(OPERATIONS * scale));
    const makers: [name: string, make: () => MatchingSide][] = [["touchline", touchlineSide]];
    const peer = nodejsOrderBook();
    if (peer !== undefined) makers.push(["nodejs-order-book", peer]);
    const outcomes = makers.map(([, make]) => outcomeOf(make(), operations));
    const trades = outcomes[0]?.trades.length ?? 0;
    const levels = (outcomes[0]?.book.bids.length ?? 0) + (outcomes[0]?.book.asks.length ?? 0);
    return {
      sides: makers.map(([name, make]) => ({ name, run: loop(operations, make) })),
      check: () => difference(outcomes),
      missing: peer === undefined ? [PEER_MISSING] : [],
      remarks: () => [
        `${operations.length} operations, ${trades} trades, ${levels} levels in the last book`,
      ],
    };
  },
};

/** Carries out the operations in order, and begins again with a new exchange after the last one. */
function loop(operations: readonly Operation[], make: () => MatchingSide) {
  let at = 0;
  let side = make();
  return (iterations: number): void => {
    for (let count = 0; count < iterations; count += 1) {
      if (at === operations.length) {
        at = 0;
        side = make();
      }
      const operation = operations[at];
      if (operation !== undefined) side.take(operation);
      at += 1;
    }
  };
}

interface Outcome {
  readonly trades: readonly Traded[];
  readonly book: ReturnType<MatchingSide["book"]>;
  readonly problem: string | undefined;
}

function outcomeOf(side: MatchingSide, operations: readonly Operation[]): Outcome {
  const trades: Traded[] = [];
  for (const operation of operations) side.take(operation, trades);
  return { trades, book: side.book(), problem: side.problem() };
}

function difference([ours, theirs]: readonly Outcome[]): string | undefined {
  if (ours === undefined || ours.problem !== undefined) return ours?.problem;
  if (theirs === undefined) return undefined;
  for (const [at, trade] of ours.trades.entries()) {
    if (isDeepStrictEqual(trade, theirs.trades[at])) continue;
    return `trade ${at}: ${JSON.stringify(trade)} and ${JSON.stringify(theirs.trades[at])}`;
  }
  if (ours.trades.length !== theirs.trades.length) {
    return `${ours.trades.length} and ${theirs.trades.length} trades`;
  }
  return isDeepStrictEqual(ours.book, theirs.book) ? undefined : "the last books differ";
}
