import type { TokenId } from "../domain/ids.ts";
import { BeforeRestart, type KnownBalances } from "./before-restart.ts";
import {
  type Change,
  type Report,
  ReportedChanges,
  type Unexplained,
} from "./unexplained-change.ts";

export interface RestartSettings {
  /** See the kernel's setting. */
  readonly disprovesRestarts: boolean;
  /** See the kernel's setting. */
  readonly followsRestarts: boolean;
}

/**
 * Tells a venue that was restarted from scratch from a node of the venue that is behind, by the blocks of the reports: the anchor is the
 * newest report that agreed. Reports of lower blocks for `settleMs` count as a restart. Whether it was one shows when the blocks of the
 * reports come to the anchor's (docs/decisions/245), or by an event (263).
 */
export class VenueRestarts {
  readonly #settleMs: number;
  readonly #disprovesRestarts: boolean;
  readonly #followsRestarts: boolean;
  /** Since when reports have been of blocks before the anchor, and the changes of such blocks since then; undefined while they are not. */
  #back: { readonly sinceMs: number; readonly changes: ReportedChanges } | undefined;
  /** Undefined unless a restart was believed a short time ago. */
  #before: BeforeRestart | undefined;

  constructor(settleMs: number, { disprovesRestarts, followsRestarts }: RestartSettings) {
    this.#settleMs = settleMs;
    this.#disprovesRestarts = disprovesRestarts;
    this.#followsRestarts = followsRestarts;
  }

  /** A restart was believed that a later report may still disprove. */
  get isInDoubt(): boolean {
    return this.#before !== undefined;
  }

  redate(dated: (report: Report) => Report): void {
    this.#before?.redate(dated);
  }

  /** A change came that is not counted yet. */
  changed(key: string, change: Change, anchorBlock: number): void {
    if (this.#followsRestarts && this.#before?.isRefutedBy(change) === true) {
      this.#before = undefined;
    }
    // One of a later block is of before the restart, if there was one.
    if ((change.blockNumber ?? 0) <= anchorBlock) this.#back?.changes.keep(key, change);
  }

  /** A report came, with these changes since the anchor. Called before it is compared, since a report that is believed removes some of them. */
  reported({ queriedMs }: Report, changes: ReportedChanges): void {
    if (this.#before?.isOpenAt(queriedMs) !== true) this.#before = undefined;
    this.#before?.add(changes);
  }

  /**
   * The report is of a block before the anchor. Undefined while it says nothing new, since it may be of a node that is behind. Otherwise the
   * venue counts as restarted: returns the changes that may come after the report. `known` is not the caller's any more.
   */
  wentBack(report: Report, known: KnownBalances): ReportedChanges | undefined {
    this.#back ??= { sinceMs: report.arrivedMs, changes: new ReportedChanges() };
    const { sinceMs, changes } = this.#back;
    if (report.queriedMs < sinceMs + this.#settleMs) return undefined;
    this.#back = undefined;
    if (this.#disprovesRestarts) this.#before ??= new BeforeRestart(known, report);
    // The report may lack the newest of them.
    return this.#followsRestarts ? changes : new ReportedChanges();
  }

  /**
   * The report is of the anchor's block or a later one. Returns what was known before the restart when there was none, since reports were of
   * a node that was behind. A venue that was restarted and comes to its earlier block so soon is recognised by balances that its new blocks
   * explain better. So is an earlier block that never was.
   */
  wentOn(
    report: Report,
    unexplained: ReadonlyMap<TokenId, Unexplained>,
  ): KnownBalances | undefined {
    this.#back = undefined;
    const before = this.#before;
    if (before === undefined || report.blockNumber < before.anchor.blockNumber) return undefined;
    if (!before.explainsAsMuch(report, unexplained)) return undefined;
    this.#before = undefined;
    return before;
  }

  /** The report is the anchor from now on. */
  believed({ blockNumber }: Report): void {
    if (blockNumber >= (this.#before?.anchor.blockNumber ?? Infinity)) this.#before = undefined;
  }
}
