import { absFixed, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import {
  type Change,
  type Report,
  ReportedChanges,
  type Unexplained,
  unexplainedBetween,
} from "./unexplained-change.ts";

/** A venue that was restarted from scratch does not reach its earlier blocks again within this; a node that was behind is left behind. */
export const DISPROVED_MS = 10 * 60_000;

/** What the reports of the balances and the changes since have shown. */
export interface KnownBalances {
  /** The newest report that agreed. */
  readonly anchor: Report;
  /** A later report, with a change that waited for its explanation. */
  readonly open: Report | undefined;
  /** Since the anchor. */
  readonly changes: ReportedChanges;
  /** Keys of changes that reports contain. */
  readonly counted: ReadonlySet<string>;
}

/**
 * What was known of the balances when the venue seemed to be restarted from scratch, in case that reports were of a node that was behind
 * (docs/decisions/245).
 */
export class BeforeRestart implements KnownBalances {
  readonly changes: ReportedChanges;
  readonly counted: ReadonlySet<string>;
  #anchor: Report;
  #open: Report | undefined;
  /** The report that made the restart count. */
  #believed: Report;

  /** Changes of later blocks than the anchor's that came while reports went back. */
  readonly later: ReportedChanges;

  /** `changes` and `counted` are its own from now on, and `later`. */
  constructor(
    { anchor, open, changes, counted }: KnownBalances,
    believed: Report,
    later: ReportedChanges,
  ) {
    this.#anchor = anchor;
    this.#open = open;
    this.changes = changes;
    this.counted = counted;
    this.#believed = believed;
    this.later = later;
  }

  get anchor(): Report {
    return this.#anchor;
  }

  get open(): Report | undefined {
    return this.#open;
  }

  /** A report requested at `queriedMs` can still disprove the restart. */
  isOpenAt(queriedMs: number): boolean {
    return queriedMs <= this.#believed.queriedMs + DISPROVED_MS;
  }

  /**
   * A change of now in a block of before: the venue was restarted, or the block of before never was. A node that is behind repeats changes of
   * earlier times.
   */
  isRefutedBy({ blockNumber, timeMs }: Change): boolean {
    const isOfBefore = blockNumber !== undefined && blockNumber <= this.#anchor.blockNumber;
    return isOfBefore && timeMs > this.#believed.venueToMs;
  }

  redate(dated: (report: Report) => Report): void {
    this.#anchor = dated(this.#anchor);
    this.#open &&= dated(this.#open);
    this.#believed = dated(this.#believed);
  }

  /** Adds what has been reported since. */
  add(later: ReportedChanges): void {
    for (const [key, change] of later.withKeys) {
      const isKnown = this.counted.has(key) || this.changes.get(key)?.blockNumber !== undefined;
      if (!isKnown) this.changes.keep(key, change);
    }
  }

  /**
   * What explains the report better than `known` does, which leaves `unexplained`: what was known before the restart, or `known` with the
   * changes of later blocks, if they explain all. Undefined when neither does.
   */
  explaining(
    report: Report,
    unexplained: ReadonlyMap<TokenId, Unexplained>,
    known: KnownBalances,
  ): KnownBalances | undefined {
    const left = unexplainedBetween(this.changes, this.#anchor, report);
    if (left.size === 0) return this;
    if (unexplained.size === 0) return undefined;
    const withLater = { ...known, changes: new ReportedChanges() };
    for (const { withKeys } of [known.changes, this.later]) {
      for (const [key, change] of withKeys) withLater.changes.keep(key, change);
    }
    if (unexplainedBetween(withLater.changes, known.anchor, report).size === 0) return withLater;
    return isAsMuch(left, unexplained) ? this : undefined;
  }
}

/** No other tokens are left unexplained than in the other comparison, and not more of each. */
function isAsMuch(
  left: ReadonlyMap<TokenId, Unexplained>,
  other: ReadonlyMap<TokenId, Unexplained>,
): boolean {
  if ([...left.keys()].some((tokenId) => !other.has(tokenId))) return false;
  if (left.size < other.size) return true;
  return [...left].some(
    ([tokenId, { amount }]) => absFixed(amount) <= absFixed(other.get(tokenId)?.amount ?? ZERO),
  );
}
