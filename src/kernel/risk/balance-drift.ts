import { firstFew } from "../../base/counted.ts";
import { fixedText, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import type { AccountEvent, Balance, OrderEvent, Transfer } from "../../domain/order.ts";
import type { BalanceDrift } from "../../orders/kept-drifts.ts";
import { fillsRead, LIST_MARGIN_MS, wantFills } from "../orders/list-span.ts";
import type { Note } from "../note.ts";
import type { KernelState } from "../state.ts";

/** Most tokens that no market of the bot trades whose changes one report has noted one by one: a venue may name new ones in every report. */
const OTHER_TOKENS_MAX = 10;

/** A public event, or one of the account, had this time of the venue. */
export function noteEventTime({ config, ledger, nowMs }: KernelState, timeMs: number): void {
  if (config.datesBalancesByEvents === true) ledger?.eventDated(timeMs, nowMs);
}

/** An ORDER event of any order of the account. */
export function orderTraded(state: KernelState, event: OrderEvent): void {
  if (state.ledger === undefined || event.fill === undefined) return;
  noteEventTime(state, event.timeMs);
  for (const drift of state.ledger.orderEvent(event)) noteExplained(state, drift, event.txHash);
}

export function accountChanged(state: KernelState, event: AccountEvent): void {
  if (state.ledger === undefined) return;
  noteEventTime(state, event.timeMs);
  for (const drift of state.ledger.accountEvent(event)) noteExplained(state, drift, event.txHash);
}

/** The list of transfers, which was requested for a change that nothing explained. */
export function compareTransfers(
  state: KernelState,
  transfers: readonly Transfer[],
  queriedMs: number,
): void {
  for (const drift of state.ledger?.listTransfers(transfers, queriedMs) ?? []) {
    noteExplained(state, drift, drift.transfers.join(", "));
  }
}

/** A report of the balances, requested at `queriedMs`. A rest that nothing explains is read again until it is settled. */
export function compareBalances(
  state: KernelState,
  {
    balances,
    blockNumber,
  }: { readonly balances: readonly Balance[]; readonly blockNumber: number },
  queriedMs: number,
): void {
  const { ledger, nowMs, venueOffsetMs: offsetMs } = state;
  if (ledger === undefined) return;
  const isLive =
    state.streamOpen && (state.channels?.user.behindSinceMs ?? Number.POSITIVE_INFINITY) > nowMs;
  const wasOpenMs = ledger.checkMs;
  const report = { balances, blockNumber, queriedMs, nowMs, offsetMs, isLive };
  noteDrifts(state, ledger.report(report));
  const { checkMs } = ledger;
  if (checkMs === undefined) return;
  // The list of fills has to be newer than the report.
  if (checkMs !== wasOpenMs) {
    wantFills(state);
    if (state.config.listsTransfers === true && !redatesBalances(state)) {
      const read = { type: "transfers", sinceMs: ledger.openSinceMs ?? 0 } as const;
      state.reads.want(read, nowMs, { again: true });
    }
  }
  if (redatesBalances(state)) {
    const sinceMs = Math.max(0, (ledger.openSinceMs ?? 0) - LIST_MARGIN_MS);
    // Lists end at the venue's time, which may have to catch up with the change.
    if (state.config.listsTransfers === true)
      state.reads.want({ type: "transfers", sinceMs }, nowMs);
    state.reads.want({ type: "venueTime" }, nowMs);
    if (ledger.lacksFills) state.reads.want(fillsRead(state), nowMs);
  }
  const againMs = checkMs > nowMs ? checkMs : nowMs + state.config.timing.driftMs;
  state.reads.want({ type: "balances" }, againMs, { again: true });
}

function redatesBalances({ config }: KernelState): boolean {
  return config.redatesBalances === true;
}

function noteDrifts(state: KernelState, drifts: readonly BalanceDrift[]): void {
  let others = 0;
  for (const drift of drifts) {
    if (!isTraded(state, drift.tokenId)) others += 1;
    if (others <= OTHER_TOKENS_MAX || isTraded(state, drift.tokenId)) noteDrift(state, drift);
  }
  if (others <= OTHER_TOKENS_MAX) return;
  const message = `the balances of ${others - OTHER_TOKENS_MAX} more tokens, which no market of the bot trades, changed without an event`;
  state.notes.push({ type: "warning", code: "BALANCE_DRIFT", message });
}

function isTraded({ markets }: KernelState, tokenId: TokenId): boolean {
  for (const { market } of markets.values()) {
    if (market.baseToken === tokenId || market.quoteToken === tokenId) return true;
  }
  return false;
}

function noteDrift(state: KernelState, drift: BalanceDrift): void {
  const { afterBlock, untilBlock, transactions } = drift;
  const blocks =
    untilBlock === afterBlock + 1
      ? `in block ${untilBlock}`
      : `in a block from ${afterBlock + 1} to ${untilBlock}`;
  const known =
    transactions.length === 0
      ? "no transaction of the account is known there"
      : `known transactions there: ${firstFew(transactions)}`;
  const { transfers, unconfirmed } = drift;
  if (transfers.length > 0) {
    const message = `the balance of token ${drift.tokenId} changed by ${signed(drift.amount)} ${blocks}, of which no event came: the list of transfers explains it by ${firstFew(transfers)}`;
    push(state, drift, "BALANCE_CHANGED", message);
    return;
  }
  const cause = drift.mayBeUnseen
    ? "while events of the account may have been missed, for example of a deposit or withdrawal"
    : "and no fill, fee, deposit, withdrawal or transfer explains it";
  const message = `the balance of token ${drift.tokenId} changed by ${signed(drift.amount)} ${blocks}, ${cause}; ${known}${
    unconfirmed.length === 0
      ? ""
      : `; listed transfers of this amount, whose status does not say that they are done: ${firstFew(unconfirmed)}`
  }`;
  push(state, drift, drift.mayBeUnseen ? "BALANCE_CHANGED" : "BALANCE_DRIFT", message);
}

function noteExplained(state: KernelState, drift: BalanceDrift, txHash: string): void {
  const message = `a late event explains the change of token ${drift.tokenId} by ${signed(drift.amount)}: transaction ${txHash}`;
  push(state, drift, "BALANCE_EXPLAINED", message);
}

function push(
  state: KernelState,
  drift: BalanceDrift,
  code: Extract<Note, { type: "balanceDrift" }>["code"],
  message: string,
): void {
  const total = totalOf(state, drift.tokenId);
  state.notes.push({ type: "balanceDrift", code, message, total, ...drift });
}

function totalOf({ ledger }: KernelState, tokenId: TokenId): Fixed {
  return ledger?.total.get(tokenId) ?? ZERO;
}

function signed(amount: Fixed): string {
  return amount > 0n ? `+${fixedText(amount)}` : fixedText(amount);
}
