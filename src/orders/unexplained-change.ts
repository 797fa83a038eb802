import { absFixed, addFixed, fixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Balance } from "../domain/order.ts";
import type { Need } from "./balance-change.ts";
import {
  type AmountRange,
  changeBetween,
  ChangeSums,
  changesAtCuts,
  type CutRange,
  hasChangeBetween,
} from "./fill-cuts.ts";

/** Most changes kept between two reports that agree. With more of them the next report is believed. */
const MAX_CHANGES = 10_000;
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

/** The report, whose records may have a time of the venue as late as this. */
export function endingAt(report: Report, timeMs: number): Report {
  return { ...report, venueToMs: Math.max(report.venueToMs, timeMs) };
}

/** What is left of a token's change between two reports. */
export interface Unexplained {
  /** Without the changes that lie between the reports for certain. */
  readonly amount: Fixed;
  /** Without the fills between two cuts, for each place where the cuts may be. */
  atEachCut(): Iterable<Fixed>;
}

/** The running sums of one token's changes, with the places of these changes among those of all tokens. */
class TokenSums {
  /** Indexes of the token's changes, in order. */
  readonly #indexes: number[] = [];
  /** The sum of the first n of them, at n. */
  readonly #sumsTo: Fixed[] = [ZERO];
  #sums: ChangeSums | undefined;

  get sums(): ChangeSums {
    return (this.#sums ??= new ChangeSums(this.#sumsTo));
  }

  /** Adds the change with this index. A fill with its fee may change a token twice. */
  add(index: number, amount: Fixed): void {
    const sum = addFixed(this.#sumsTo.at(-1) ?? ZERO, amount);
    if (this.#indexes.at(-1) === index) this.#sumsTo.pop();
    else this.#indexes.push(index);
    this.#sumsTo.push(sum);
  }

  /** How many of the token's changes lie before a cut of all changes. */
  placeOf(cut: number): number {
    let [low, high] = [0, this.#indexes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#indexes[middle] ?? cut) < cut) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Changes with no block, sorted by time, and their sums by token. A venue may name another token in each change, so each token has only the sums of its own. */
export class UnplacedChanges {
  readonly byTime: readonly Change[];
  readonly #sums = new Map<TokenId, TokenSums>();

  constructor(changes: Iterable<Change>) {
    this.byTime = [...changes]
      .filter(({ blockNumber }) => blockNumber === undefined)
      .sort((left, right) => left.timeMs - right.timeMs);
    for (const [index, { amounts }] of this.byTime.entries()) {
      for (const { tokenId, amount } of amounts) {
        let ofToken = this.#sums.get(tokenId);
        if (ofToken === undefined) this.#sums.set(tokenId, (ofToken = new TokenSums()));
        ofToken.add(index, amount);
      }
    }
  }

  /** Undefined when no change is of this token. */
  sumsOf(tokenId: TokenId): TokenSums | undefined {
    return this.#sums.get(tokenId);
  }
}

/** Changes by their keys. What comparisons of reports need of those with no block is worked out once until a change is added or removed. */
export class ReportedChanges {
  readonly #byKey = new Map<string, Change>();
  #unplaced: UnplacedChanges | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  /** More changes came than are kept. */
  get isOverfull(): boolean {
    return this.size > MAX_CHANGES;
  }

  get all(): Iterable<Change> {
    return this.#byKey.values();
  }

  get withKeys(): Iterable<readonly [key: string, change: Change]> {
    return this.#byKey;
  }

  get unplaced(): UnplacedChanges {
    this.#unplaced ??= new UnplacedChanges(this.all);
    return this.#unplaced;
  }

  get(key: string): Change | undefined {
    return this.#byKey.get(key);
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Leaves the change out when there are too many. */
  keep(key: string, change: Change): void {
    if (this.isOverfull) return;
    this.#byKey.set(key, change);
    this.#unplaced = undefined;
  }

  delete(key: string): void {
    if (this.#byKey.delete(key)) this.#unplaced = undefined;
  }

  clear(): void {
    this.#byKey.clear();
    this.#unplaced = undefined;
  }
}

/** What the changes between two reports leave unexplained, by token; empty when they explain everything. */
export function unexplainedBetween(
  changes: ReportedChanges,
  from: Report,
  to: Report,
): ReadonlyMap<TokenId, Unexplained> {
  const amounts = new Map<TokenId, Fixed>();
  for (const tokenId of new Set([...from.totals.keys(), ...to.totals.keys()])) {
    const change = subFixed(to.totals.get(tokenId) ?? ZERO, from.totals.get(tokenId) ?? ZERO);
    amounts.set(tokenId, change);
  }
  for (const { blockNumber, amounts: needs } of changes.all) {
    if (blockNumber === undefined) continue;
    if (blockNumber <= from.blockNumber || blockNumber > to.blockNumber) continue;
    for (const { tokenId, amount } of needs) {
      amounts.set(tokenId, subFixed(amounts.get(tokenId) ?? ZERO, amount));
    }
  }
  const { unplaced } = changes;
  const range = cutRange(unplaced.byTime, from, to);
  const unexplained = new Map<TokenId, Unexplained>();
  for (const [tokenId, amount] of amounts) {
    const sums = unplaced.sumsOf(tokenId);
    const left =
      sums === undefined
        ? { amount, atEachCut: () => [amount] }
        : withoutUnplaced(sums, range, amount);
    if (!isDust(left.amount)) unexplained.set(tokenId, left);
  }
  return unexplained;
}

/** The known transactions between two reports, by the tokens that they change. */
export function transactionsBetween(
  changes: ReportedChanges,
  from: Report,
  to: Report,
): ReadonlyMap<TokenId, ReadonlySet<string>> {
  const transactions = new Map<TokenId, Set<string>>();
  for (const { amounts, blockNumber, timeMs, txHash } of changes.all) {
    const isIn =
      blockNumber === undefined
        ? timeMs >= from.venueFromMs && timeMs <= to.venueToMs
        : blockNumber > from.blockNumber && blockNumber <= to.blockNumber;
    if (!isIn) continue;
    for (const { tokenId } of amounts) {
      const ofToken = transactions.get(tokenId);
      if (ofToken === undefined) transactions.set(tokenId, new Set([txHash]));
      else ofToken.add(txHash);
    }
  }
  return transactions;
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
function withoutUnplaced(ofToken: TokenSums, range: CutRange, amount: Fixed): Unexplained {
  const { sums } = ofToken;
  const placeOf = (cut: number): number => ofToken.placeOf(cut);
  function* atEachCut(): Iterable<Fixed> {
    for (const change of changesAtCuts(sums.to, range, placeOf)) yield subFixed(amount, change);
  }
  const startMax = placeOf(range.startMax);
  const endMin = placeOf(range.endMin);
  const places = {
    startMin: placeOf(range.startMin),
    startMax,
    endMin,
    endMax: placeOf(range.endMax),
  };
  const isExplained = hasChangeBetween(sums, places, withDust(amount));
  const certain = changeBetween(sums.to, startMax, Math.max(startMax, endMin));
  return { amount: isExplained ? ZERO : subFixed(amount, certain), atEachCut };
}

/** Whether an amount is no more than the venue's rounding. */
export function isDust(amount: Fixed): boolean {
  return absFixed(amount) <= DUST;
}

/** The amounts that are this one but for the venue's rounding. */
export function withDust(amount: Fixed): AmountRange {
  return { least: subFixed(amount, DUST), most: addFixed(amount, DUST) };
}
