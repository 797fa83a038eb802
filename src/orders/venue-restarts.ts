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

interface Back {
  readonly sinceMs: number;
  /** Of the anchor's block or earlier ones, or of no known block. */
  readonly changes: ReportedChanges;
  /** Of later blocks: of before the restart, if there was one. */
  readonly later: ReportedChanges;
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
  /** Since when reports have been of blocks before the anchor, and the changes since then; undefined while they are not. */
  #back: Back | undefined;
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
    if (!this.#followsRestarts) return;
    if (this.#before?.isRefutedBy(change) === true) this.#before = undefined;
    const isLater = (change.blockNumber ?? 0) > anchorBlock;
    (isLater ? this.#back?.later : this.#back?.changes)?.keep(key, change);
  }

  /** An event told the block of this change while reports went back. It is not known to be of before the restart, or of now. */
  hasInDoubt(key: string): boolean {
    return this.#before?.later.has(key) === true;
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
    this.#back ??= {
      sinceMs: report.arrivedMs,
      changes: new ReportedChanges(),
      later: new ReportedChanges(),
    };
    const { sinceMs, changes, later } = this.#back;
    if (report.queriedMs < sinceMs + this.#settleMs) return undefined;
    this.#back = undefined;
    if (this.#disprovesRestarts) this.#before ??= new BeforeRestart(known, report, later);
    // The report may lack the newest of them.
    return changes;
  }

  /**
   * The report is of the anchor's block or a later one. Returns what was known before the restart when there was none, since reports were of
   * a node that was behind. A venue that was restarted and comes to its earlier block so soon is recognised by balances that its new blocks
   * explain better. So is an earlier block that never was; then `known` is returned with the changes of later blocks, if they explain all.
   */
  wentOn(
    report: Report,
    unexplained: ReadonlyMap<TokenId, Unexplained>,
    known: KnownBalances,
  ): KnownBalances | undefined {
    this.#back = undefined;
    const before = this.#before;
    if (before === undefined || report.blockNumber < before.anchor.blockNumber) return undefined;
    const explaining = before.explaining(report, unexplained, known);
    if (explaining !== undefined) this.#before = undefined;
    return explaining;
  }

  /** The report is the anchor from now on. */
  believed({ blockNumber }: Report): void {
    if (blockNumber >= (this.#before?.anchor.blockNumber ?? Infinity)) this.#before = undefined;
  }
}
