import { absFixed, addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Balance } from "../domain/order.ts";
import type { Need } from "./balance-change.ts";

/** Rounding of the venue that is no drift: 10⁻²⁰ of a token. */
const DUST = 1_000_000n;
/** A change whose block is unknown belongs for certain to one side of a report only when it is this much before or after it. */
export const CLOCK_MARGIN_MS = 5_000;

/** A change of the account's money: a fill with its fee, a deposit, a withdrawal or a transfer. */
export interface Change {
  readonly amounts: readonly Need[];
  /** Undefined for a fill that only a list has shown: lists carry no block. */
  readonly blockNumber: number | undefined;
  readonly timeMs: number;
  readonly txHash: string;
}

/** A report of the balances (§4.1). Times are the venue's; infinite when its clock is not known. */
export interface Report {
  readonly totals: ReadonlyMap<TokenId, Fixed>;
  readonly blockNumber: number;
  readonly queriedMs: number;
  readonly arrivedMs: number;
  readonly venueFromMs: number;
  readonly venueToMs: number;
}

/** `highestMs`: the highest time that the venue's clock has shown, which its records keep when the clock is set back. */
export function reportOf(
  balances: readonly Balance[],
  {
    blockNumber,
    queriedMs,
    nowMs,
    offsetMs,
  }: {
    readonly blockNumber: number;
    readonly queriedMs: number;
    readonly nowMs: number;
    readonly offsetMs: number | undefined;
  },
  highestMs: number,
): Report {
  return {
    totals: new Map(
      balances.map(({ tokenId, locked, unlocked }) => [tokenId, addFixed(locked, unlocked)]),
    ),
    blockNumber,
    queriedMs,
    arrivedMs: nowMs,
    venueFromMs: offsetMs === undefined ? Number.NEGATIVE_INFINITY : queriedMs + offsetMs,
    venueToMs:
      offsetMs === undefined ? Number.POSITIVE_INFINITY : Math.max(nowMs + offsetMs, highestMs),
  };
}

/** The report, dated by this difference of the clocks as well. */
export function datedAlsoBy(report: Report, offsetMs: number): Report {
  return {
    ...report,
    venueFromMs: Math.min(report.venueFromMs, report.queriedMs + offsetMs),
    venueToMs: Math.max(report.venueToMs, report.arrivedMs + offsetMs),
  };
}

/** What is left of a token's change between two reports. */
export interface Unexplained {
  /** Without the changes that lie between the reports for certain. */
  readonly amount: Fixed;
  /** Without the fills between two cuts, for each place where the cuts may be. */
  atEachCut(): Iterable<Fixed>;
}

/** What the changes between two reports leave unexplained, by token; empty when they explain everything. */
export function unexplainedBetween(
  changes: Iterable<Change>,
  from: Report,
  to: Report,
): ReadonlyMap<TokenId, Unexplained> {
  const amounts = new Map<TokenId, Fixed>();
  for (const tokenId of new Set([...from.totals.keys(), ...to.totals.keys()])) {
    const change = subFixed(to.totals.get(tokenId) ?? ZERO, from.totals.get(tokenId) ?? ZERO);
    amounts.set(tokenId, change);
  }
  const unplaced: Change[] = [];
  for (const change of changes) {
    const { blockNumber } = change;
    if (blockNumber === undefined) unplaced.push(change);
    else if (blockNumber > from.blockNumber && blockNumber <= to.blockNumber) {
      for (const { tokenId, amount } of change.amounts) {
        amounts.set(tokenId, subFixed(amounts.get(tokenId) ?? ZERO, amount));
      }
    }
  }
  unplaced.sort((left, right) => left.timeMs - right.timeMs);
  const unexplained = new Map<TokenId, Unexplained>();
  for (const [tokenId, amount] of amounts) {
    const left = withoutUnplaced(unplaced, { tokenId, amount }, from, to);
    if (!isDust(left.amount)) unexplained.set(tokenId, left);
  }
  return unexplained;
}

/**
 * The part of a change between two reports that the fills without a block, sorted by time, do not explain. Those near a report may
 * belong to either side of it, so each cut that leaves nothing is accepted; without one, only those count that lie between the reports for certain.
 */
function withoutUnplaced(
  unplaced: readonly Change[],
  { tokenId, amount }: Need,
  from: Report,
  to: Report,
): Unexplained {
  const first = (isAfter: (timeMs: number) => boolean): number => {
    const at = unplaced.findIndex(({ timeMs }) => isAfter(timeMs));
    return at < 0 ? unplaced.length : at;
  };
  const startMin = first((timeMs) => timeMs >= from.venueFromMs - CLOCK_MARGIN_MS);
  const startMax = first((timeMs) => timeMs > from.venueToMs + CLOCK_MARGIN_MS);
  const endMin = first((timeMs) => timeMs >= to.venueFromMs - CLOCK_MARGIN_MS);
  const endMax = first((timeMs) => timeMs > to.venueToMs + CLOCK_MARGIN_MS);
  const sumsTo: Fixed[] = [ZERO];
  for (const { amounts } of unplaced) {
    const before = sumsTo.at(-1) ?? ZERO;
    sumsTo.push(amounts.reduce((sum, one) => addOf(sum, one, tokenId), before));
  }
  const leftBetween = (start: number, end: number): Fixed =>
    subFixed(amount, subFixed(sumsTo[end] ?? ZERO, sumsTo[start] ?? ZERO));
  function* atEachCut(): Iterable<Fixed> {
    for (let start = startMin; start <= startMax; start += 1) {
      for (let end = Math.max(start, endMin); end <= endMax; end += 1) {
        yield leftBetween(start, end);
      }
    }
  }
  for (const left of atEachCut()) {
    if (isDust(left)) return { amount: ZERO, atEachCut };
  }
  return { amount: leftBetween(startMax, Math.max(startMax, endMin)), atEachCut };
}

function addOf(sum: Fixed, { tokenId, amount }: Need, wanted: TokenId): Fixed {
  return tokenId === wanted ? addFixed(sum, amount) : sum;
}

/** Whether an amount is no more than the venue's rounding. */
export function isDust(amount: Fixed): boolean {
  return absFixed(amount) <= DUST;
}
