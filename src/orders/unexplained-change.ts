import { absFixed, addFixed, fixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Balance } from "../domain/order.ts";
import type { Need } from "./balance-change.ts";
import {
  type AmountRange,
  changeBetween,
  changesAtCuts,
  type CutRange,
  hasChangeBetween,
} from "./fill-cuts.ts";

/** Rounding of the venue that is no drift: 10⁻²⁰ of a token. */
const DUST = fixed("0.00000000000000000001");
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
  const range = cutRange(unplaced, from, to);
  const tokens = new Set(unplaced.flatMap((change) => change.amounts.map((need) => need.tokenId)));
  const unexplained = new Map<TokenId, Unexplained>();
  for (const [tokenId, amount] of amounts) {
    const left = tokens.has(tokenId)
      ? withoutUnplaced(unplaced, range, { tokenId, amount })
      : { amount, atEachCut: () => [amount] };
    if (!isDust(left.amount)) unexplained.set(tokenId, left);
  }
  return unexplained;
}

/** Fills near a report may belong to either side of it. */
function cutRange(unplaced: readonly Change[], from: Report, to: Report): CutRange {
  const first = (isAfter: (timeMs: number) => boolean): number => {
    const at = unplaced.findIndex(({ timeMs }) => isAfter(timeMs));
    return at < 0 ? unplaced.length : at;
  };
  return {
    startMin: first((timeMs) => timeMs >= from.venueFromMs - CLOCK_MARGIN_MS),
    startMax: first((timeMs) => timeMs > from.venueToMs + CLOCK_MARGIN_MS),
    endMin: first((timeMs) => timeMs >= to.venueFromMs - CLOCK_MARGIN_MS),
    endMax: first((timeMs) => timeMs > to.venueToMs + CLOCK_MARGIN_MS),
  };
}

/**
 * The part of a change between two reports that the fills without a block, sorted by time, do not explain. Each cut that leaves nothing is
 * accepted; without one, only those count that lie between the reports for certain.
 */
function withoutUnplaced(
  unplaced: readonly Change[],
  range: CutRange,
  { tokenId, amount }: Need,
): Unexplained {
  const sumsTo: Fixed[] = [ZERO];
  let sum = ZERO;
  for (const { amounts } of unplaced) {
    sum = amounts.reduce((before, one) => addOf(before, one, tokenId), sum);
    sumsTo.push(sum);
  }
  function* atEachCut(): Iterable<Fixed> {
    for (const change of changesAtCuts(sumsTo, range)) yield subFixed(amount, change);
  }
  const { startMax, endMin } = range;
  const isExplained = hasChangeBetween(sumsTo, range, withDust(amount));
  const certain = changeBetween(sumsTo, startMax, Math.max(startMax, endMin));
  return { amount: isExplained ? ZERO : subFixed(amount, certain), atEachCut };
}

function addOf(sum: Fixed, { tokenId, amount }: Need, wanted: TokenId): Fixed {
  return tokenId === wanted ? addFixed(sum, amount) : sum;
}

/** Whether an amount is no more than the venue's rounding. */
export function isDust(amount: Fixed): boolean {
  return absFixed(amount) <= DUST;
}

/** The amounts that are this one but for the venue's rounding. */
export function withDust(amount: Fixed): AmountRange {
  return { least: subFixed(amount, DUST), most: addFixed(amount, DUST) };
}
