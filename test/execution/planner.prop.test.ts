import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixed, type Fixed } from "../../src/domain/fixed.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import { plan, type Plan, type PlannedQuote } from "../../src/execution/planner.ts";
import { remainingOf, type TrackedOrder } from "../../src/orders/tracked-order.ts";
import { anOrder } from "./an-order.ts";

/** Prices are whole around a mid of 1000, tolerances whole thousandths of it, sizes whole: every oracle below is exact. */
const MID = 1000;

interface Case {
  readonly bids: readonly PlannedQuote[];
  readonly asks: readonly PlannedQuote[];
  readonly toleranceTicks: number;
  readonly sizePercent: number;
  readonly orders: readonly TrackedOrder[];
}

const side = fc.constantFrom<Side>("BUY", "SELL");
const quotes = fc.array(
  fc.record({ price: fc.integer({ min: 992, max: 1008 }), size: fc.integer({ min: 8, max: 12 }) }),
  { maxLength: 5 },
);
const orders = fc.array(
  fc.record({
    side,
    price: fc.integer({ min: 992, max: 1008 }),
    remaining: fc.integer({ min: 8, max: 12 }),
    executed: fc.constantFrom(0, 0, 0, 0, 1, 6),
    madeAtMs: fc.integer({ min: 0, max: 5 }),
    phase: fc.constantFrom(...(["working", "working", "in-flight", "unknown", "ended"] as const)),
    cancel: fc.constantFrom(
      ...(["none", "none", "none", "none", "in-flight", "accepted", "unknown", "refused"] as const),
    ),
  }),
  { maxLength: 9 },
);

const cases: fc.Arbitrary<Case> = fc
  .record({
    bids: quotes,
    asks: quotes,
    toleranceTicks: fc.integer({ min: 0, max: 5 }),
    sizePercent: fc.constantFrom(0, 10, 25, 50),
    orders,
  })
  .map((drawn) => ({
    bids: drawn.bids.map(quoteOf),
    asks: drawn.asks.map(quoteOf),
    toleranceTicks: drawn.toleranceTicks,
    sizePercent: drawn.sizePercent,
    orders: drawn.orders.map(({ remaining, executed, madeAtMs, ...order }) =>
      anOrder({
        ...order,
        madeAtMs: unixMs(madeAtMs),
        quantity: String(remaining + executed),
        executed: String(executed),
      }),
    ),
  }));

/** Without partly filled orders each quote has one order. */
const untouched = cases.filter((drawn) => drawn.orders.every(({ executed }) => executed === 0n));

function quoteOf({ price, size }: { readonly price: number; readonly size: number }): PlannedQuote {
  return { price, size: fixed(String(size)) };
}

function planOf(
  drawn: Case,
  live: readonly TrackedOrder[] = drawn.orders,
  mayModifyOrder?: (order: TrackedOrder) => boolean,
): Plan {
  return plan({
    bids: drawn.bids,
    asks: drawn.asks,
    tolerance: drawn.toleranceTicks / MID,
    sizeTolerance: drawn.sizePercent / 100,
    mid: MID,
    orders: live,
    ...(mayModifyOrder === undefined ? {} : { mayModify: mayModifyOrder }),
  });
}

/** The same orders in any order of the list give the same plan. */
function expectSamePlanWhenShuffled(
  planned: (drawn: Case, orders?: readonly TrackedOrder[]) => Plan,
): void {
  fc.assert(
    fc.property(
      cases.chain((drawn) =>
        fc.tuple(
          fc.constant(drawn),
          fc.shuffledSubarray([...drawn.orders], { minLength: drawn.orders.length }),
        ),
      ),
      ([drawn, shuffled]) => {
        expect(planned(drawn, shuffled)).toEqual(planned(drawn));
      },
    ),
  );
}

function wantedOf(drawn: Case, of: Side): readonly PlannedQuote[] {
  return of === "BUY" ? drawn.bids : drawn.asks;
}

function isFree(order: TrackedOrder): boolean {
  return order.phase !== "ended" && order.cancel === "none";
}

/** The definition of fitting in whole numbers. */
function fitsExactly(drawn: Case, order: TrackedOrder, quote: PlannedQuote): boolean {
  const off = sizeGap(order, quote);
  return (
    Math.abs(order.price - quote.price) <= drawn.toleranceTicks &&
    off * 100n <= quote.size * BigInt(drawn.sizePercent)
  );
}

/** An order in doubt serves no quote. A partly filled one serves one that it has become too small for. */
function mayServe(drawn: Case, order: TrackedOrder, quote: PlannedQuote): boolean {
  if (order.phase === "unknown") return false;
  return fitsExactly(drawn, order, quote) || isShort(drawn, order, quote);
}

function isShort(drawn: Case, order: TrackedOrder, quote: PlannedQuote): boolean {
  return (
    order.executed > 0n &&
    remainingOf(order) < quote.size &&
    Math.abs(order.price - quote.price) <= drawn.toleranceTicks &&
    !fitsExactly(drawn, order, quote)
  );
}

/** Each wanted quote has one order, or a partly filled one and a second one for the rest, within the tolerance. */
function expectAllServed(drawn: Case, made: Plan): void {
  const wanted = [...drawn.bids, ...drawn.asks];
  expect(new Set([...made.keep, ...made.place].map(({ quote }) => quote))).toEqual(new Set(wanted));
  for (const quote of wanted) {
    const [first, ...others] = made.keep.filter((kept) => kept.quote === quote);
    const [placed, ...more] = made.place.filter((placement) => placement.quote === quote);
    expect(others.length + Number(placed !== undefined)).toBeLessThanOrEqual(1);
    expect(more).toEqual([]);
    if (first === undefined) {
      expect(placed?.size).toBe(quote.size);
      continue;
    }
    const [second] = others;
    if (placed === undefined && second === undefined) {
      expect(fitsExactly(drawn, first.order, quote)).toBe(true);
      continue;
    }
    expect(isShort(drawn, first.order, quote)).toBe(true);
    const rest = { ...quote, size: (quote.size - remainingOf(first.order)) as Fixed };
    if (second === undefined) expect(placed?.size).toBe(rest.size);
    else expect(fitsExactly(drawn, second.order, rest)).toBe(true);
  }
}

function sizeGap(order: TrackedOrder, quote: PlannedQuote): bigint {
  const gap = remainingOf(order) - quote.size;
  return gap < 0n ? -gap : gap;
}

type Score = readonly [pairs: number, exact: number, near: number];

/** How good a set of pairs is: most pairs, then most exact, then nearest in sum. */
function scoreOf(pairs: readonly (readonly [TrackedOrder, PlannedQuote])[]): Score {
  let exact = 0;
  let off = 0;
  for (const [order, quote] of pairs) {
    const gap = sizeGap(order, quote);
    if (gap === 0n && order.price === quote.price) exact += 1;
    off += Math.abs(order.price - quote.price) / MID + Number(gap) / Number(quote.size);
  }
  return [pairs.length, exact, -off];
}

function isBetter(left: Score, right: Score): boolean {
  for (let at = 0; at < left.length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (Math.abs(difference) > 1e-6) return difference > 0;
  }
  return false;
}

/** Every way to pair quotes with orders, tried out. */
function bestScore(
  drawn: Case,
  wanted: readonly PlannedQuote[],
  free: readonly TrackedOrder[],
): Score {
  let best: Score = scoreOf([]);
  const used = new Set<TrackedOrder>();
  const pairs: (readonly [TrackedOrder, PlannedQuote])[] = [];
  const walk = (at: number): void => {
    const quote = wanted[at];
    if (quote === undefined) {
      const score = scoreOf(pairs);
      if (isBetter(score, best)) best = score;
      return;
    }
    walk(at + 1);
    for (const order of free) {
      if (used.has(order) || !mayServe(drawn, order, quote)) continue;
      used.add(order);
      pairs.push([order, quote]);
      walk(at + 1);
      pairs.pop();
      used.delete(order);
    }
  };
  walk(0);
  return best;
}

describe("planner, any quotes and orders", () => {
  it("keeps only what fits, and touches every order and quote once", () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const made = planOf(drawn);
        for (const { order, quote } of made.keep) {
          expect(wantedOf(drawn, order.side)).toContain(quote);
        }
        const touched = [...made.keep, ...made.cancel].map(({ order }) => order);
        expect(new Set(touched).size).toBe(touched.length);
        expect(new Set(touched)).toEqual(new Set(drawn.orders.filter(isFree)));
        expectAllServed(drawn, made);
      }),
    );
  });

  it("has nothing more to do once it is applied", () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const made = planOf(drawn);
        const placed = made.place.map(({ side: placedSide, price, size }) =>
          anOrder({ side: placedSide, price, quantity: sizeText(size), phase: "in-flight" }),
        );
        const after = [...made.keep.map(({ order }) => order), ...placed];
        const again = planOf(drawn, after);
        expect(again.cancel).toEqual([]);
        expect(again.place).toEqual([]);
      }),
    );
  });

  it("is the least change there is, and the best of the least ones", () => {
    fc.assert(
      fc.property(untouched, (drawn) => {
        const made = planOf(drawn);
        let commands = 0;
        for (const each of ["BUY", "SELL"] as const) {
          const free = drawn.orders.filter((order) => order.side === each && isFree(order));
          const wanted = wantedOf(drawn, each);
          const best = bestScore(drawn, wanted, free);
          const kept = made.keep.filter(({ order }) => order.side === each);
          const score = scoreOf(kept.map(({ order, quote }) => [order, quote] as const));
          expect(isBetter(best, score)).toBe(false);
          commands += free.length + wanted.length - 2 * best[0];
        }
        expect(made.cancel.length + made.place.length).toBe(commands);
      }),
      { numRuns: 300 },
    );
  });

  it("never cancels an order for a younger one that is the same to it", () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const { keep, cancel } = planOf(drawn);
        const isSame = (one: TrackedOrder, other: TrackedOrder): boolean =>
          one.side === other.side &&
          one.price === other.price &&
          one.phase === other.phase &&
          // A partly filled order may be kept for a part of a quote that an untouched one does not fit.
          one.executed > 0n === other.executed > 0n &&
          remainingOf(one) === remainingOf(other);
        const wrong = cancel.filter(({ order: canceled }) =>
          keep.some(({ order }) => isSame(order, canceled) && order.madeAtMs > canceled.madeAtMs),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on the order in which orders are listed", () => {
    expectSamePlanWhenShuffled(planOf);
  });
});

/** Orders that may be modified: those that rest untouched. */
const mayModify = (order: TrackedOrder): boolean =>
  order.phase === "working" && order.executed === 0n && order.cancel === "none";

function planWithModify(drawn: Case, live?: readonly TrackedOrder[]): Plan {
  return planOf(drawn, live, mayModify);
}

/** Fewest commands of all ways to pair, of those with the most pairs. */
function fewestCommands(
  drawn: Case,
  wanted: readonly PlannedQuote[],
  free: readonly TrackedOrder[],
): number {
  let best = { pairs: -1, commands: Number.POSITIVE_INFINITY };
  const used = new Set<TrackedOrder>();
  const walk = (at: number, pairs: number): void => {
    const quote = wanted[at];
    if (quote === undefined) {
      const open = free.filter((order) => !used.has(order));
      const missing = wanted.length - pairs;
      const modifies = Math.min(open.filter(mayModify).length, missing);
      const commands = open.length + missing - modifies;
      const isBetter = pairs > best.pairs || (pairs === best.pairs && commands < best.commands);
      if (isBetter) best = { pairs, commands };
      return;
    }
    walk(at + 1, pairs);
    for (const order of free) {
      if (used.has(order) || !mayServe(drawn, order, quote)) continue;
      used.add(order);
      walk(at + 1, pairs + 1);
      used.delete(order);
    }
  };
  walk(0, 0);
  return best.commands;
}

describe("planner with modify, any quotes and orders", () => {
  it("takes the fewest commands there are", () => {
    let modifies = 0;
    fc.assert(
      fc.property(untouched, (drawn) => {
        const made = planWithModify(drawn);
        let commands = 0;
        for (const each of ["BUY", "SELL"] as const) {
          const free = drawn.orders.filter((order) => order.side === each && isFree(order));
          commands += fewestCommands(drawn, wantedOf(drawn, each), free);
        }
        modifies += made.place.filter((placement) => placement.modifies !== undefined).length;
        expect(made.cancel.length + made.place.length).toBe(commands);
      }),
      { numRuns: 500 },
    );
    expect(modifies).toBeGreaterThan(20);
  });

  it("keeps what fits, and keeps, cancels or modifies each order once; modifies only what it may", () => {
    fc.assert(
      fc.property(cases, (drawn) => {
        const made = planWithModify(drawn);
        const modified = made.place.flatMap(({ modifies: one, side: of }) => {
          if (one === undefined) return [];
          expect(mayModify(one.order)).toBe(true);
          expect(one.order.side).toBe(of);
          return [one.order];
        });
        const touched = [...made.keep, ...made.cancel].map(({ order }) => order);
        const all = [...touched, ...modified];
        expect(new Set(all).size).toBe(all.length);
        expect(new Set(all)).toEqual(new Set(drawn.orders.filter(isFree)));
        expectAllServed(drawn, made);
      }),
    );
  });

  it("lets an order wait for its quote only while it is no more exposed, each quote for one order", () => {
    fc.assert(
      fc.property(cases, fc.boolean(), (drawn, withModify) => {
        const made = withModify ? planWithModify(drawn) : planOf(drawn);
        const waiting = [
          ...made.cancel.flatMap(({ order, until }) =>
            until === undefined ? [] : [{ order, placement: until }],
          ),
          ...made.place.flatMap((placement) =>
            placement.modifies?.mayWait === true
              ? [{ order: placement.modifies.order, placement }]
              : [],
          ),
        ];
        for (const { order, placement } of waiting) {
          expect(made.place).toContain(placement);
          expect(order.side).toBe(placement.side);
          const sign = order.side === "BUY" ? 1 : -1;
          expect(sign * (placement.price - order.price)).toBeGreaterThanOrEqual(0);
          expect(remainingOf(order) <= placement.size).toBe(true);
        }
        expect(new Set(waiting.map(({ placement }) => placement)).size).toBe(waiting.length);
      }),
    );
  });

  it("does not depend on the order in which orders are listed", () => {
    expectSamePlanWhenShuffled(planWithModify);
  });
});

function sizeText(size: Fixed): string {
  return String(size / fixed("1"));
}
