import { absFixed, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import {
  type Change,
  type Report,
  type ReportedChanges,
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

  /** `changes` and `counted` are its own from now on. */
  constructor({ anchor, open, changes, counted }: KnownBalances, believed: Report) {
    this.#anchor = anchor;
    this.#open = open;
    this.changes = changes;
    this.counted = counted;
    this.#believed = believed;
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

  /** Without a restart, the changes would leave no other tokens unexplained than with one, and not more of each. */
  explainsAsMuch(report: Report, unexplained: ReadonlyMap<TokenId, Unexplained>): boolean {
    const left = [...unexplainedBetween(this.changes, this.#anchor, report)];
    if (left.some(([tokenId]) => !unexplained.has(tokenId))) return false;
    if (left.length === 0 || left.length < unexplained.size) return true;
    return left.some(
      ([tokenId, { amount }]) =>
        absFixed(amount) <= absFixed(unexplained.get(tokenId)?.amount ?? ZERO),
    );
  }
}
