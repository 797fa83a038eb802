import { addFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { AccountEvent, Balance, Fill, OrderEvent, Transfer } from "../domain/order.ts";
import type { KnownBalances } from "./before-restart.ts";
import { accountChanges, fillAmounts, type Need } from "./balance-change.ts";
import {
  type Change,
  CLOCK_MARGIN_MS,
  datedAlsoBy,
  endingAt,
  type Report,
  ReportedChanges,
  reportOf,
  transactionsBetween,
  type Unexplained,
  unexplainedBetween,
} from "./unexplained-change.ts";
import { HighestVenueTime } from "./highest-venue-time.ts";
import { type BalanceDrift, KeptDrifts } from "./kept-drifts.ts";
import { ListReach } from "./list-reach.ts";
import { ListedTransfers, transferKey, type TransferSettings } from "./listed-transfers.ts";
import { type RestartSettings, VenueRestarts } from "./venue-restarts.ts";

/** Most counted events remembered: one comes again soon after the first time. */
const MAX_COUNTED = 1_000;
/** With a later list of fills, a drift waits no longer than this for lists that reach up to it by the venue's clock. */
const LIST_WAIT_MS = 60_000;

export interface BalanceReport {
  readonly balances: readonly Balance[];
  readonly blockNumber: number;
  /** Our clock. */
  readonly queriedMs: number;
  readonly nowMs: number;
  /** The venue's clock minus ours; undefined while it is unknown. */
  readonly offsetMs: number | undefined;
  /** The user channel delivers now. */
  readonly isLive: boolean;
}

export interface LedgerSettings extends TransferSettings, RestartSettings {
  /** See the kernel's setting. */
  readonly explainsDriftInParts: boolean;
  /** See the kernel's setting. */
  readonly doubtsOpenBlock: boolean;
  /** See the kernel's setting. */
  readonly waitsForListedFills: boolean;
  /** See the kernel's setting. */
  readonly redatesByEvents: boolean;
  /** Tokens that the bot's markets trade. */
  readonly ownTokens: ReadonlySet<TokenId>;
}

/**
 * Compares each report of the balances with the one before and the changes between them. Only totals count: a lock moves money
 * between `unlocked` and `locked`. What the changes leave unexplained counts as drift when it is still there `settleMs` later, after the
 * list of fills was read again and in the next report, so that a late event or one unreliable report is none.
 */
export class BalanceLedger {
  readonly #settleMs: number;
  #changes = new ReportedChanges();
  /** Keys of changes that an agreed report contains, the newest ones: such an event that comes again explains nothing. */
  #counted = new Set<string>();
  readonly #drifts: KeptDrifts;
  readonly #transfers: ListedTransfers;
  /** The newest report that the changes explain, or whose unexplained part was found to be drift. */
  #anchor: Report | undefined;
  /** A later report with a change that may still be explained. */
  #open: Report | undefined;
  /** Since when reports have been of blocks before the open one; undefined while they are not. */
  #behindOpenSinceMs: number | undefined;
  readonly #highest = new HighestVenueTime();
  readonly #doubtsOpenBlock: boolean;
  readonly #waitsForListedFills: boolean;
  readonly #redatesByEvents: boolean;
  readonly #restarts: VenueRestarts;
  readonly #transfersReach = new ListReach();
  readonly #fillsReach = new ListReach();
  /** When the user channel last did not deliver. */
  #gapMs = Number.NEGATIVE_INFINITY;

  constructor(settleMs: number, settings: LedgerSettings) {
    this.#settleMs = settleMs;
    this.#doubtsOpenBlock = settings.doubtsOpenBlock;
    this.#waitsForListedFills = settings.waitsForListedFills;
    this.#redatesByEvents = settings.redatesByEvents;
    this.#restarts = new VenueRestarts(settleMs, settings);
    this.#transfers = new ListedTransfers(settings);
    this.#drifts = new KeptDrifts(settings.explainsDriftInParts, settings.ownTokens);
  }

  /** Number of changes that are kept. */
  get size(): number {
    return this.#changes.size;
  }

  /** Number of counted events that are remembered. */
  get counted(): number {
    return this.#counted.size;
  }

  /** The sum of all drifts of the run by token, without what deposits or withdrawals may explain. */
  get total(): ReadonlyMap<TokenId, Fixed> {
    return this.#drifts.total;
  }

  /** When the balances have to be read again, our clock; undefined unless a change waits for its explanation. */
  get checkMs(): number | undefined {
    return this.#open === undefined ? undefined : this.#open.arrivedMs + this.#settleMs;
  }

  /** Fills since then may explain the open change, venue time; undefined unless there is one. */
  get openSinceMs(): number | undefined {
    if (this.#open === undefined || this.#anchor === undefined) return undefined;
    const { venueFromMs } = this.#anchor;
    return Number.isFinite(venueFromMs) ? venueFromMs - CLOCK_MARGIN_MS : undefined;
  }

  /** The newest list of own fills ends before the end of the open change, by the venue's clock. */
  get lacksFills(): boolean {
    return this.#open !== undefined && !this.#hasFillsTo(this.#open);
  }

  /** Events may be missing up to now: the stream was closed, opened, or its user channel is behind. */
  gap(nowMs: number): void {
    this.#gapMs = nowMs;
  }

  /**
   * The venue's clock minus ours, read now. When the clock was set since a report, what followed the report may have the time of either
   * clock, or the highest that the clock had shown.
   */
  clockRead(offsetMs: number, nowMs: number): void {
    this.#highest.clockRead(offsetMs, nowMs);
    this.#fillsReach.clockRead(offsetMs);
    if (this.#waitsForListedFills) this.#transfersReach.clockRead(offsetMs);
    this.#redate((report) => datedAlsoBy(report, offsetMs));
  }

  /** An event had this time of the venue. One of before its clock was set back shows what time records before the reports may have. */
  eventDated(timeMs: number, nowMs: number): void {
    const isOfOldClock = this.#highest.eventDated(timeMs, nowMs);
    if (!isOfOldClock || !this.#redatesByEvents) return;
    this.#redate((report) => endingAt(report, timeMs));
  }

  /** An ORDER event of any order of the account. Returns drifts that it explains. */
  orderEvent({ fill, blockNumber, txHash }: OrderEvent): readonly BalanceDrift[] {
    if (fill === undefined) return none;
    const amounts = fillAmounts(fill);
    return this.#add(keyOfFill(fill), { amounts, blockNumber, timeMs: fill.timeMs, txHash });
  }

  /** An ACCOUNT event. Returns drifts that it explains. */
  accountEvent(event: AccountEvent): readonly BalanceDrift[] {
    const { txHash, eventType, tokenId, amount, blockNumber, timeMs } = event;
    const amounts = accountChanges(event).map((change) => ({
      tokenId: change.tokenId,
      amount: change.unlocked,
    }));
    const key =
      eventType === "TRANSFER" ? transferKey(event) : `${txHash} ${eventType} ${tokenId} ${amount}`;
    if (this.#transfers.forget(key)) {
      // Counted again in its block, it would explain another change.
      this.#count(key);
      return none;
    }
    return this.#add(key, { amounts, blockNumber, timeMs, txHash }, { isOfAccount: true });
  }

  /** A whole list of own fills came, requested at `queriedMs` by our clock. */
  fillsListed(queriedMs: number): void {
    this.#fillsReach.listed(queriedMs, this.#highest.offsetMs);
  }

  /** A fill from a list. */
  fill(fill: Fill): void {
    const key = keyOfFill(fill);
    if (this.#changes.has(key) || this.#restarts.hasInDoubt(key)) return;
    const { timeMs, orderId } = fill;
    const amounts = fillAmounts(fill);
    this.#add(key, { amounts, blockNumber: undefined, timeMs, txHash: orderId });
  }

  /**
   * The list of transfers, requested at `queriedMs`. Returns earlier drifts that it explains; later ones name the transfers that explain
   * them.
   */
  listTransfers(list: readonly Transfer[], queriedMs: number): readonly BalanceDrift[] {
    this.#transfersReach.listed(queriedMs, this.#highest.offsetMs);
    const isKnown = (key: string): boolean => this.#changes.has(key) || this.#counted.has(key);
    this.#transfers.list(list.filter((transfer) => !isKnown(transferKey(transfer))));
    return this.#drifts.explainByList(this.#transfers);
  }

  /** A report of the balances. Returns the drifts that it proves. */
  report({ balances, isLive, ...read }: BalanceReport): readonly BalanceDrift[] {
    const report = reportOf(balances, read, this.#highest.ms);
    if (!isLive) this.gap(read.nowMs);
    return this.#compare(report, isLive);
  }

  #compare(report: Report, isLive: boolean): readonly BalanceDrift[] {
    const anchor = this.#anchor;
    this.#restarts.reported(report, this.#changes);
    if (anchor === undefined || this.#changes.isOverfull) return this.#believe(report);
    if (report.blockNumber < anchor.blockNumber) return this.#goneBack(anchor, report);
    const unexplained = this.#unexplained(anchor, report);
    const explaining = this.#restarts.wentOn(report, unexplained, this.#known(anchor));
    if (explaining !== undefined) {
      this.#goOnFrom(explaining);
      return this.#compare(report, isLive);
    }
    if (unexplained.size === 0) return this.#believe(report);
    const open = this.#open;
    if (open === undefined) {
      this.#open = report;
      return none;
    }
    if (report.blockNumber < open.blockNumber) return this.#behindOpen(report);
    this.#behindOpenSinceMs = undefined;
    const openUnexplained = this.#unexplained(anchor, open);
    if (openUnexplained.size === 0) return this.#continueFrom(open, report);
    const isSettled =
      isLive &&
      !this.#restarts.isInDoubt &&
      report.queriedMs >= open.arrivedMs + this.#settleMs &&
      this.#fillsReach.queriedMs >= open.arrivedMs &&
      ((this.#reachesTo(open, this.#transfersReach) && this.#hasFillsTo(open)) ||
        report.queriedMs >= open.arrivedMs + LIST_WAIT_MS);
    if (!isSettled) return none;
    if ([...openUnexplained.keys()].some((tokenId) => !unexplained.has(tokenId))) {
      // The report in between contradicts both its neighbours.
      this.#open = report;
      return none;
    }
    const transactions = transactionsBetween(this.#changes, anchor, open);
    const drifts = [...openUnexplained].map(([tokenId, left]) =>
      this.#driftOf(tokenId, left, { from: anchor, to: open, transactions }),
    );
    this.#continueFrom(open, report);
    return drifts;
  }

  #hasFillsTo(open: Report): boolean {
    return !this.#waitsForListedFills || this.#reachesTo(open, this.#fillsReach);
  }

  #reachesTo(open: Report, { toMs }: ListReach): boolean {
    return this.#highest.offsetMs === undefined || toMs >= open.venueToMs;
  }

  /** A report of a block before the anchor. */
  #goneBack(anchor: Report, report: Report): readonly BalanceDrift[] {
    const changes = this.#restarts.wentBack(report, this.#known(anchor));
    if (changes === undefined) return none;
    this.#changes = changes;
    this.#counted = new Set();
    return this.#believe(report);
  }

  #known(anchor: Report): KnownBalances {
    return { anchor, open: this.#open, changes: this.#changes, counted: this.#counted };
  }

  /** What a restart seemed to be was none: the comparison goes on from what explains the reports. */
  #goOnFrom({ anchor, open, changes, counted }: KnownBalances): void {
    this.#anchor = anchor;
    this.#open = open;
    this.#behindOpenSinceMs = undefined;
    this.#changes = changes;
    this.#counted = new Set(counted);
  }

  #redate(dated: (report: Report) => Report): void {
    this.#anchor &&= dated(this.#anchor);
    this.#open &&= dated(this.#open);
    this.#restarts.redate(dated);
  }

  /** A report of a node that is behind. When it stays like that, the open report named a block that is not the venue's. */
  #behindOpen(report: Report): readonly BalanceDrift[] {
    this.#behindOpenSinceMs ??= report.arrivedMs;
    if (this.#doubtsOpenBlock && report.queriedMs >= this.#behindOpenSinceMs + this.#settleMs) {
      this.#behindOpenSinceMs = undefined;
      this.#open = report;
    }
    return none;
  }

  #believe(report: Report): readonly BalanceDrift[] {
    this.#anchor = report;
    this.#open = undefined;
    this.#behindOpenSinceMs = undefined;
    this.#restarts.believed(report);
    for (const [key, { blockNumber, timeMs }] of this.#changes.withKeys) {
      const isIn =
        blockNumber === undefined
          ? timeMs < report.venueFromMs - CLOCK_MARGIN_MS
          : blockNumber <= report.blockNumber;
      if (!isIn) continue;
      // The time of a fill from a list may be wrong; its event knows the block.
      if (blockNumber === undefined) this.#changes.delete(key);
      else this.#count(key);
    }
    return none;
  }

  #count(key: string): void {
    this.#changes.delete(key);
    this.#counted.add(key);
    for (const oldest of this.#counted) {
      if (this.#counted.size <= MAX_COUNTED) return;
      this.#counted.delete(oldest);
    }
  }

  #continueFrom(open: Report, report: Report): readonly BalanceDrift[] {
    this.#believe(open);
    if (this.#unexplained(open, report).size === 0) return this.#believe(report);
    this.#open = report;
    return none;
  }

  #add(
    key: string,
    change: Change,
    { isOfAccount = false }: { readonly isOfAccount?: boolean } = {},
  ): readonly BalanceDrift[] {
    if (change.amounts.length === 0 || this.#counted.has(key)) return none;
    const { blockNumber } = change;
    const anchorBlock = this.#anchor?.blockNumber ?? Number.NEGATIVE_INFINITY;
    this.#restarts.changed(key, change, anchorBlock);
    if (blockNumber !== undefined && blockNumber <= anchorBlock) {
      this.#count(key);
      return [...sums(change.amounts)].flatMap(
        ([tokenId, amount]) =>
          this.#drifts.explainBy({ tokenId, amount }, blockNumber, isOfAccount) ?? none,
      );
    }
    const known = this.#changes.get(key);
    if (known?.blockNumber !== undefined) return none;
    this.#changes.keep(key, change);
    return none;
  }

  #unexplained(from: Report, to: Report): ReadonlyMap<TokenId, Unexplained> {
    return unexplainedBetween(this.#changes, from, to);
  }

  /** Keeps the drift, unless the list of transfers explains it: a late event is then its transfer. */
  #driftOf(
    tokenId: TokenId,
    left: Unexplained,
    {
      from,
      to,
      transactions,
    }: {
      readonly from: Report;
      readonly to: Report;
      readonly transactions: ReadonlyMap<TokenId, ReadonlySet<string>>;
    },
  ): BalanceDrift {
    const span = {
      fromMs: from.venueFromMs - CLOCK_MARGIN_MS,
      untilMs: to.venueToMs + CLOCK_MARGIN_MS,
    };
    const explained = this.#transfers.takeExplainingOneOf(tokenId, left, span);
    const drift = {
      tokenId,
      ...explained,
      unconfirmed: this.#transfers.unconfirmedOf({ tokenId, amount: explained.amount }),
      afterBlock: from.blockNumber,
      untilBlock: to.blockNumber,
      transactions: [...(transactions.get(tokenId) ?? [])],
      mayBeUnseen: this.#gapMs > from.queriedMs,
    };
    if (drift.transfers.length === 0) this.#drifts.keep({ drift, ...span });
    return drift;
  }
}

const none: readonly BalanceDrift[] = [];

function sums(amounts: readonly Need[]): ReadonlyMap<TokenId, Fixed> {
  const byToken = new Map<TokenId, Fixed>();
  for (const { tokenId, amount } of amounts) {
    byToken.set(tokenId, addFixed(byToken.get(tokenId) ?? ZERO, amount));
  }
  return byToken;
}

function keyOfFill({ tradeId, orderId }: Fill): string {
  return `${orderId} ${tradeId}`;
}
