import { OldestKeyCursor } from "../base/oldest-key-cursor.ts";
import { absFixed, addFixed, fixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { AccountEvent, Balance, Fill, OrderEvent, Transfer } from "../domain/order.ts";
import { accountChanges, amountsOf, fillChanges, type Need } from "./balance-change.ts";

/** Most changes remembered, the newest ones. With more of them between two reports the next report is believed. */
const CHANGES_MAX = 10_000;
/** Most tokens with a total, besides those that the bot trades: a venue may name new ones in every report. */
const TOTALS_MAX = 1_000;
/** Rounding of the venue that is not a drift: 10⁻²⁰ of a token. */
const DUST = fixed("0.00000000000000000001");
/** Answers and lists may be as old as this when they arrive, and the venue's clock may differ this much from what we believe. */
const LAG_MS = 5_000;
/** A difference waits no longer than this for lists that cannot be read. */
const LIST_WAIT_MS = 60_000;
/** Statuses of a transfer that has changed the balances, in any case (D34). A transfer with another one explains nothing. */
const doneStatuses: ReadonlySet<string> = new Set([
  "CONFIRMED",
  "SUCCESS",
  "SUCCEEDED",
  "SUCCESSFUL",
]);

/** A change of a token's balance that no event has reported. */
export interface BalanceDrift {
  readonly tokenId: TokenId;
  /** Positive: the account has more than it should have. */
  readonly amount: Fixed;
  /** It happened in a block after this one … */
  readonly afterBlock: number;
  /** … and no later than in this one. */
  readonly untilBlock: number;
  /** Hashes of the account's transactions that are known in these blocks, and order ids of fills that only a list has shown. */
  readonly transactions: readonly string[];
  /** The hash of the listed transfer that explains it; empty when nothing does. */
  readonly transfers: readonly string[];
  /** Hash and status of listed transfers of this amount that are not known to be done, so that they explain nothing. */
  readonly unconfirmed: readonly string[];
  /** Events may have been missed in these blocks, so a deposit or withdrawal may be the reason. */
  readonly mayBeUnseen: boolean;
}

/** When an answer was requested and came, our clock. */
interface ReadTimes {
  readonly queriedMs: number;
  readonly nowMs: number;
}

interface BalanceReport extends ReadTimes {
  readonly balances: readonly Balance[];
  readonly blockNumber: number;
  /** The user channel delivers now. */
  readonly isLive: boolean;
}

/** A report of the balances (§4.1). Only totals count: a lock moves money between `unlocked` and `locked`. */
interface Totals extends ReadTimes {
  readonly byToken: ReadonlyMap<TokenId, Fixed>;
  readonly blockNumber: number;
}

/** A change of the account's money: a fill with its fee, a deposit, a withdrawal or a transfer. */
interface Change {
  readonly amounts: readonly Need[];
  /** Lists carry no block: undefined until a report contains what only a list has shown, then the block of that report. */
  readonly blockNumber: number | undefined;
  readonly source: "event" | "fills" | "transfers";
  /** When it was first seen, our clock. */
  readonly seenMs: number;
  readonly txHash: string;
}

/**
 * Compares each report of the balances with the last one that agreed and the changes between them. A report of block B contains every
 * event of a block up to B, and what a list showed `LAG_MS` before the report was requested. What is still unexplained `settleMs` later,
 * in a second report and after the lists of fills and transfers were read again, is drift; then the first of these reports is the truth.
 */
export class BalanceLedger {
  readonly #settleMs: number;
  readonly #ownTokens: ReadonlySet<TokenId>;
  readonly #changes = new Map<string, Change>();
  readonly #oldestChange = new OldestKeyCursor(this.#changes);
  readonly #total = new Map<TokenId, Fixed>();
  /** The newest report that agreed or was taken as the truth. */
  #anchor: Totals | undefined;
  /** The newest report that was taken as the truth without an explanation: the first one, for example. */
  #truth: Totals | undefined;
  /** A later report with a difference that waits for its explanation. */
  #open: Totals | undefined;
  #unconfirmed: readonly Transfer[] = [];
  #fillsQueriedMs = Number.NEGATIVE_INFINITY;
  #transfersQueriedMs = Number.NEGATIVE_INFINITY;
  /** When events or records of lists may last have been missing. */
  #gapMs = Number.NEGATIVE_INFINITY;
  /** The lowest and the highest difference of the clocks in this run: a record may have the time of either. */
  #offsets: { readonly lowMs: number; readonly highMs: number } | undefined;

  /** `ownTokens`: those that the bot's markets trade, whose totals are always kept. */
  constructor(settleMs: number, ownTokens: ReadonlySet<TokenId>) {
    this.#settleMs = settleMs;
    this.#ownTokens = ownTokens;
  }

  /** Number of changes that are remembered. */
  get size(): number {
    return this.#changes.size;
  }

  /** The sum of all drifts of the run by token, without what deposits or withdrawals may explain. */
  get total(): ReadonlyMap<TokenId, Fixed> {
    return this.#total;
  }

  /** When the balances have to be read again, our clock; undefined unless a difference waits for its explanation. */
  get checkMs(): number | undefined {
    return this.#open === undefined ? undefined : this.#open.nowMs + this.#settleMs;
  }

  /** From when on both lists have to be requested again, our clock; undefined unless the difference waits for them. */
  get listsWantedMs(): number | undefined {
    if (this.#open === undefined) return undefined;
    const fromMs = this.#open.nowMs + LAG_MS;
    return Math.min(this.#fillsQueriedMs, this.#transfersQueriedMs) < fromMs ? fromMs : undefined;
  }

  /** Changes since then may explain the difference, venue time; undefined unless there is one. */
  get openSinceMs(): number | undefined {
    if (this.#open === undefined || this.#anchor === undefined) return undefined;
    return this.#offsets && this.#anchor.queriedMs + this.#offsets.lowMs - LAG_MS;
  }

  /** Events or records of lists may be missing up to then, our clock: the user channel did not deliver, or the venue's clock was set back. */
  gap(untilMs: number): void {
    this.#gapMs = Math.max(this.#gapMs, untilMs);
  }

  /** The venue's clock minus ours, read now. */
  clockRead(offsetMs: number): void {
    const { lowMs, highMs } = this.#offsets ?? { lowMs: offsetMs, highMs: offsetMs };
    this.#offsets = { lowMs: Math.min(lowMs, offsetMs), highMs: Math.max(highMs, offsetMs) };
  }

  /** An ORDER event of any order of the account. */
  orderEvent({ fill, blockNumber, txHash }: OrderEvent, nowMs: number): void {
    if (fill === undefined) return;
    const amounts = amountsOf(fillChanges(fill, ZERO));
    this.#told(keyOfFill(fill), { amounts, blockNumber, txHash, seenMs: nowMs });
  }

  accountEvent(event: AccountEvent, nowMs: number): void {
    const { txHash, eventType, tokenId, amount, blockNumber } = event;
    const amounts = amountsOf(accountChanges(event));
    const key =
      eventType === "TRANSFER"
        ? keyOfTransfer(event)
        : `${txHash} ${eventType} ${tokenId} ${amount}`;
    this.#told(key, { amounts, blockNumber, txHash, seenMs: nowMs });
  }

  /** A list of own fills. `isPart`: other pages follow. */
  listFills(fills: readonly Fill[], times: ReadTimes, isPart: boolean): void {
    for (const fill of fills) {
      const { orderId: txHash, timeMs } = fill;
      const amounts = amountsOf(fillChanges(fill, ZERO));
      const change = { amounts, source: "fills", txHash } as const;
      this.#listed(keyOfFill(fill), change, timeMs, times.nowMs);
    }
    if (!isPart) this.#fillsQueriedMs = times.queriedMs;
  }

  listTransfers(list: readonly Transfer[], times: ReadTimes): void {
    this.#unconfirmed = list.filter((row) => !isDone(row));
    for (const row of list) {
      const { tokenId, amount, txHash, timeMs } = row;
      if (!isDone(row) || amount === ZERO) continue;
      const change = { amounts: [{ tokenId, amount }], source: "transfers", txHash } as const;
      this.#listed(keyOfTransfer(row), change, timeMs, times.nowMs);
    }
    this.#transfersQueriedMs = times.queriedMs;
  }

  /** A report of the balances. Returns the drifts that it proves, and changes that only the list of transfers explains. */
  report({ balances, isLive, ...read }: BalanceReport): readonly BalanceDrift[] {
    const byToken = new Map(
      balances.map(({ tokenId, locked, unlocked }) => [tokenId, addFixed(locked, unlocked)]),
    );
    const report: Totals = { ...read, byToken };
    if (!isLive) this.gap(read.nowMs);
    const anchor = this.#anchor;
    if (anchor === undefined || report.blockNumber < anchor.blockNumber) {
      this.#believe(report);
      return none;
    }
    const agreed = this.#agree(anchor, report);
    if (agreed !== undefined) return agreed;
    const open = this.#open;
    if (open === undefined || report.blockNumber < open.blockNumber) {
      this.#open = report;
      return none;
    }
    const late = this.#agree(anchor, open);
    if (late !== undefined) return [...late, ...this.#goOn(open, report)];
    if (!isLive || !this.#isSettled(open, report)) return none;
    const unexplained = this.#unexplained(anchor, open, nothing);
    const remaining = this.#unexplained(anchor, report, nothing);
    // A report that contradicts both its neighbours proves nothing, nor does one beside changes of unknown blocks.
    const isUnsure = [...unexplained.keys()].some((tokenId) => !remaining.has(tokenId));
    if (isUnsure || this.#unplaced(anchor, open).size > 0) {
      this.#open = report;
      return none;
    }
    const transactions = this.#transactionsBetween(anchor, open);
    const drifts = [...unexplained].map(([tokenId, amount]) =>
      this.#driftOf({ tokenId, amount }, [anchor, open], transactions.get(tokenId) ?? nothing),
    );
    this.#believe(open);
    return [...drifts, ...this.#goOn(open, report)];
  }

  /** The open report is the anchor now. */
  #goOn(anchor: Totals, report: Totals): readonly BalanceDrift[] {
    const agreed = this.#agree(anchor, report);
    if (agreed === undefined) this.#open = report;
    return agreed ?? none;
  }

  #isSettled(open: Totals, { queriedMs }: Totals): boolean {
    const waitMs = this.listsWantedMs === undefined ? this.#settleMs : LIST_WAIT_MS;
    return queriedMs >= open.nowMs + Math.max(waitMs, this.#settleMs);
  }

  /** Takes the report as the next one to compare with if the changes explain it, with or without those that may be in it. */
  #agree(anchor: Totals, report: Totals): readonly BalanceDrift[] | undefined {
    const isExplained = (also: ReadonlySet<string>): boolean =>
      this.#unexplained(anchor, report, also).size === 0;
    if (isExplained(nothing)) return this.#place(anchor, report, nothing);
    const unplaced = this.#unplaced(anchor, report);
    if (unplaced.size === 0 || !isExplained(unplaced)) return undefined;
    return this.#place(anchor, report, unplaced);
  }

  /** Takes the report as the truth. One that may or may not contain a listed change is not compared with the next one. */
  #believe(report: Totals): void {
    this.#truth = report;
    this.#place(this.#anchor ?? report, report, nothing);
    if (this.#unplaced(report, report).size > 0) this.#anchor = undefined;
  }

  /** `report` is the anchor from now on. Returns the listed transfers that it is the first to contain. */
  #place(from: Totals, report: Totals, also: ReadonlySet<string>): readonly BalanceDrift[] {
    this.#anchor = report;
    this.#open = undefined;
    const blocks = { afterBlock: from.blockNumber, untilBlock: report.blockNumber };
    const explained: BalanceDrift[] = [];
    for (const [key, change] of this.#changes) {
      const isNew =
        change.blockNumber === undefined && (isIn(change, from, report) || also.has(key));
      if (!isNew) continue;
      this.#changes.set(key, { ...change, blockNumber: report.blockNumber });
      if (change.source !== "transfers") continue;
      const transfer = { transactions: [], transfers: [change.txHash], unconfirmed: [] };
      for (const need of change.amounts) {
        explained.push({ ...need, ...transfer, ...blocks, mayBeUnseen: true });
      }
    }
    return explained;
  }

  /** Keys of listed changes that may be in the report or not: just shown, or first contained in a report of a later block. */
  #unplaced(from: Totals, report: Totals): ReadonlySet<string> {
    const unplaced = [...this.#changes].filter(([, change]) => {
      const { blockNumber, source } = change;
      if (blockNumber === undefined) return !isIn(change, from, report);
      return source !== "event" && blockNumber > report.blockNumber;
    });
    return new Set(unplaced.map(([key]) => key));
  }

  /** What the changes between two reports leave unexplained, by token. The changes `also` count as in the second one. */
  #unexplained(from: Totals, to: Totals, also: ReadonlySet<string>): ReadonlyMap<TokenId, Fixed> {
    const left = new Map(to.byToken);
    const subtract = (tokenId: TokenId, amount: Fixed): void => {
      left.set(tokenId, subFixed(left.get(tokenId) ?? ZERO, amount));
    };
    for (const [tokenId, total] of from.byToken) subtract(tokenId, total);
    for (const [key, change] of this.#changes) {
      if (!isIn(change, from, to) && !also.has(key)) continue;
      for (const { tokenId, amount } of change.amounts) subtract(tokenId, amount);
    }
    for (const [tokenId, amount] of left) if (isDust(amount)) left.delete(tokenId);
    return left;
  }

  /** By the tokens that they change. */
  #transactionsBetween(from: Totals, to: Totals): ReadonlyMap<TokenId, Set<string>> {
    const transactions = new Map<TokenId, Set<string>>();
    for (const change of this.#changes.values()) {
      if (!isIn(change, from, to)) continue;
      for (const { tokenId } of change.amounts) {
        const ofToken = transactions.get(tokenId) ?? new Set();
        transactions.set(tokenId, ofToken.add(change.txHash));
      }
    }
    return transactions;
  }

  #driftOf(
    need: Need,
    [from, to]: readonly [Totals, Totals],
    transactions: ReadonlySet<string>,
  ): BalanceDrift {
    const unconfirmed = this.#unconfirmed.filter(
      (row) => row.tokenId === need.tokenId && isDust(subFixed(row.amount, need.amount)),
    );
    const mayBeUnseen = this.#gapMs > from.queriedMs;
    if (!mayBeUnseen) this.#count(need);
    return {
      ...need,
      afterBlock: from.blockNumber,
      untilBlock: to.blockNumber,
      transactions: [...transactions],
      transfers: [],
      unconfirmed: unconfirmed.map(({ txHash, status }) => `${txHash} (${status ?? ""})`),
      mayBeUnseen,
    };
  }

  #count({ tokenId, amount }: Need): void {
    const known = this.#total.get(tokenId);
    const total = addFixed(known ?? ZERO, amount);
    const hasRoom =
      known !== undefined || this.#ownTokens.has(tokenId) || this.#total.size < TOTALS_MAX;
    if (isDust(total)) this.#total.delete(tokenId);
    else if (hasRoom) this.#total.set(tokenId, total);
  }

  /** An event knows the block of what a list has shown before. The same event again says nothing new. */
  #told(key: string, change: Omit<Change, "source">): void {
    if (change.amounts.length === 0 || this.#changes.get(key)?.source === "event") return;
    this.#remember(key, { ...change, source: "event" });
  }

  /** `timeMs`: venue time. */
  #listed(
    key: string,
    change: Pick<Change, "amounts" | "source" | "txHash">,
    timeMs: number,
    nowMs: number,
  ): void {
    const truth = this.#truth;
    if (truth === undefined || this.#offsets === undefined || this.#changes.has(key)) return;
    const sinceTruthMs = timeMs - truth.queriedMs;
    if (sinceTruthMs < this.#offsets.lowMs - LAG_MS) return;
    this.#remember(key, { ...change, blockNumber: undefined, seenMs: nowMs });
    // Too near to that report to tell on which side of it: a later report is the truth.
    if (sinceTruthMs <= this.#offsets.highMs + LAG_MS) this.#anchor = undefined;
  }

  #remember(key: string, change: Change): void {
    this.#changes.set(key, change);
    if (this.#changes.size <= CHANGES_MAX) return;
    const oldest = this.#oldestChange.next();
    if (oldest === undefined) return;
    const { blockNumber = Number.POSITIVE_INFINITY } = this.#changes.get(oldest) ?? {};
    this.#changes.delete(oldest);
    if (blockNumber > (this.#anchor?.blockNumber ?? blockNumber)) this.#anchor = undefined;
  }
}

const none: readonly BalanceDrift[] = [];
const nothing: ReadonlySet<string> = new Set();

/** Whether the second report contains a change that the first one does not. One that no report has contained yet has no block. */
function isIn({ blockNumber, seenMs }: Change, from: Totals, to: Totals): boolean {
  if (blockNumber === undefined) return seenMs + LAG_MS <= to.queriedMs;
  return blockNumber > from.blockNumber && blockNumber <= to.blockNumber;
}

function isDone({ status }: Transfer): boolean {
  return status === undefined || doneStatuses.has(status.toUpperCase());
}

function isDust(amount: Fixed): boolean {
  return absFixed(amount) <= DUST;
}

function keyOfFill({ tradeId, orderId }: Fill): string {
  return `${orderId} ${tradeId}`;
}

/** The same for a transfer's event and for its row in a list. */
function keyOfTransfer({
  txHash,
  tokenId,
  amount,
}: Pick<Transfer, "txHash" | "tokenId" | "amount">): string {
  return `${txHash.toLowerCase()} TRANSFER ${tokenId} ${absFixed(amount)}`;
}
