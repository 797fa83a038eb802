import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addFixed, fixed, fixedText, subFixed, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { changesAtCuts, ChangeSums, hasChangeBetween } from "../../src/orders/fill-cuts.ts";
import {
  type Change,
  CLOCK_MARGIN_MS,
  isDust,
  type Report,
  ReportedChanges,
  unexplainedBetween,
} from "../../src/orders/unexplained-change.ts";

const tokens = [tokenId("1"), tokenId("2"), tokenId("3")] as const;

/** Few small amounts, so that many pairs of cuts are near each other, and dust beside them. */
const amount = fc
  .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -2, max: 2 }))
  .map(([whole, dust]) => {
    const grain = fixed("0.00000000000000000001");
    let sum = fixed(String(whole));
    for (let at = 0; at < Math.abs(dust); at += 1)
      sum = (dust < 0 ? subFixed : addFixed)(sum, grain);
    return sum;
  });

const change: fc.Arbitrary<Change> = fc.record({
  amounts: fc.array(fc.record({ tokenId: fc.constantFrom(...tokens.slice(0, 2)), amount }), {
    maxLength: 3,
  }),
  blockNumber: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined, freq: 3 }),
  timeMs: fc.integer({ min: 0, max: 60_000 }),
  txHash: fc.constant("0x1"),
});

const report = (blockNumber: number): fc.Arbitrary<Report> =>
  fc
    .record({
      totals: fc.array(fc.tuple(fc.constantFrom(...tokens), amount)),
      fromMs: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.constant(-Infinity)),
      spanMs: fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.constant(Infinity)),
    })
    .map(({ totals, fromMs, spanMs }) => ({
      totals: new Map(totals),
      blockNumber,
      queriedMs: 0,
      arrivedMs: 0,
      venueFromMs: fromMs,
      venueToMs: fromMs === -Infinity ? 60_000 : fromMs + spanMs,
    }));

/** What `unexplainedBetween` says, found by trying every pair of cuts. */
function byTryingAll(changes: readonly Change[], from: Report, to: Report): Map<string, string> {
  const fills = changes
    .filter(({ blockNumber }) => blockNumber === undefined)
    .sort((left, right) => left.timeMs - right.timeMs);
  const cut = (isBeyond: (timeMs: number) => boolean): number =>
    fills.filter(({ timeMs }) => !isBeyond(timeMs)).length;
  const startMin = cut((timeMs) => timeMs >= from.venueFromMs - CLOCK_MARGIN_MS);
  const startMax = cut((timeMs) => timeMs > from.venueToMs + CLOCK_MARGIN_MS);
  const endMin = cut((timeMs) => timeMs >= to.venueFromMs - CLOCK_MARGIN_MS);
  const endMax = cut((timeMs) => timeMs > to.venueToMs + CLOCK_MARGIN_MS);
  const unexplained = new Map<string, string>();
  const placed = changes.filter(
    ({ blockNumber }) =>
      blockNumber !== undefined && blockNumber > from.blockNumber && blockNumber <= to.blockNumber,
  );
  const placedTokens = placed.flatMap(({ amounts }) => amounts.map((need) => need.tokenId));
  for (const token of new Set([...from.totals.keys(), ...to.totals.keys(), ...placedTokens])) {
    const sumOf = (some: readonly Change[]): Fixed =>
      some
        .flatMap(({ amounts }) => amounts)
        .filter((need) => need.tokenId === token)
        .reduce((sum, need) => addFixed(sum, need.amount), ZERO);
    const change = subFixed(to.totals.get(token) ?? ZERO, from.totals.get(token) ?? ZERO);
    const left = (start: number, end: number): Fixed =>
      subFixed(subFixed(change, sumOf(placed)), sumOf(fills.slice(start, end)));
    let isExplained = false;
    for (let start = startMin; start <= startMax; start += 1) {
      for (let end = Math.max(start, endMin); end <= endMax; end += 1) {
        isExplained ||= isDust(left(start, end));
      }
    }
    const certain = left(startMax, Math.max(startMax, endMin));
    if (!isExplained && !isDust(certain)) unexplained.set(token, fixedText(certain));
  }
  return unexplained;
}

function kept(changes: readonly Change[]): ReportedChanges {
  const reported = new ReportedChanges();
  for (const [at, one] of changes.entries()) reported.keep(String(at), one);
  return reported;
}

function unexplainedOf(changes: ReportedChanges, from: Report, to: Report): Map<string, string> {
  const found = unexplainedBetween(changes, from, to);
  return new Map([...found].map(([token, left]) => [token, fixedText(left.amount)]));
}

describe("what fills without a block leave unexplained", () => {
  it("is what trying every pair of cuts finds", () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 12 }),
        report(1),
        report(3),
        (changes, from, to) => {
          expect(unexplainedOf(kept(changes), from, to)).toEqual(byTryingAll(changes, from, to));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("is the same when other reports were compared before, and changes were added and removed", () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 2, maxLength: 12 }),
        fc.array(fc.tuple(report(1), report(3), fc.nat(), change), { maxLength: 6 }),
        (changes, steps) => {
          const reported = kept(changes);
          for (const [from, to, at, added] of steps) {
            const expected = byTryingAll([...reported.all], from, to);
            expect(unexplainedOf(reported, from, to)).toEqual(expected);
            if (at % 3 === 0) reported.delete(String(at % changes.length));
            if (at % 3 === 1) reported.keep(String(at % changes.length), added);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is explained when a pair of cuts has a change within the bounds", () => {
    const cut = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(
        fc.array(amount, { minLength: 12, maxLength: 12 }),
        fc.array(fc.tuple(cut, cut, cut, cut), { minLength: 1, maxLength: 4 }),
        fc.tuple(amount, amount),
        (amounts, ranges, bounds) => {
          const sumsTo = [ZERO];
          for (const one of amounts) sumsTo.push(addFixed(sumsTo.at(-1) ?? ZERO, one));
          const sums = new ChangeSums(sumsTo);
          const [least, most] = bounds[0] <= bounds[1] ? bounds : [bounds[1], bounds[0]];
          const isIn = (one: Fixed): boolean => one >= least && one <= most;
          for (const [startMin, startMax, endMin, endMax] of ranges) {
            const range = { startMin, startMax, endMin, endMax };
            expect(hasChangeBetween(sums, range, { least, most })).toBe(
              [...changesAtCuts(sumsTo, range)].some(isIn),
            );
          }
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
