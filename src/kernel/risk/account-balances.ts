import { firstFew } from "../../base/counted.ts";
import { fixedText, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import type { AccountEvent, Balance, OrderEvent } from "../../domain/order.ts";
import type { BalanceDrift, BalanceLedger } from "../../orders/balance-ledger.ts";
import { doubt } from "../impossible/left-markets.ts";
import { fillsRead, LIST_MARGIN_MS } from "../list-span.ts";
import type { KernelState } from "../state.ts";

/**
 * What the account has: events and reports go to `Balances`, for what new orders may use, and to the `BalanceLedger`, which compares
 * them. A difference that the events do not explain is read about: fills, transfers, and the balances again after `timing.driftMs`.
 */

/** Wait before balances are read again after a report of a lower block, so that a cache has time to expire. */
const AGAIN_MS = 1_000;
/** Most tokens that no market of the bot trades whose changes one report has noted one by one: a venue may name new ones in every report. */
const OTHER_TOKENS_MAX = 10;

/** An ORDER event of any order of the account. */
export function balancesTraded({ balances, ledger, nowMs }: KernelState, event: OrderEvent): void {
  balances.orderEvent(event, nowMs);
  ledger?.orderEvent(event, nowMs);
}

export function accountChanged(
  { balances, ledger, nowMs }: KernelState,
  event: AccountEvent,
): void {
  balances.accountEvent(event, nowMs);
  ledger?.accountEvent(event, nowMs);
}

/** A report of the balances, requested at `queriedMs`. One of a lower block than the last one is not used, and they are read again. */
export function onBalances(
  state: KernelState,
  {
    balances,
    blockNumber,
  }: { readonly balances: readonly Balance[]; readonly blockNumber: number },
  queriedMs: number,
): void {
  const { ledger, nowMs } = state;
  const lastBlock = state.balances.blockNumber ?? blockNumber;
  const isBelieved = state.balances.report(balances, blockNumber, queriedMs);
  if (blockNumber < lastBlock) {
    const consequence = isBelieved
      ? "no other has come for long enough, so it is used"
      : "it is not used, and the balances are read again";
    const text = `a report of the balances is of block ${blockNumber}, although an earlier one was of block ${lastBlock}: ${consequence}`;
    doubt(state, "BALANCES_OLD", undefined, text);
  }
  if (!isBelieved) {
    state.reads.want({ type: "balances" }, nowMs + AGAIN_MS, { again: true });
    return;
  }
  state.facts?.balances.fresh.proven(queriedMs);
  if (ledger === undefined) return;
  const isLive = state.streamOpen && (state.facts?.account.fresh.misses ?? 0) === 0;
  noteDrifts(state, ledger.report({ balances, blockNumber, queriedMs, nowMs, isLive }));
  readAboutDifference(state, ledger);
}

function readAboutDifference(state: KernelState, ledger: BalanceLedger): void {
  const { nowMs, reads, config } = state;
  const { checkMs, listsWantedMs, openSinceMs = 0 } = ledger;
  if (checkMs === undefined) return;
  if (listsWantedMs !== undefined) {
    const listsMs = Math.max(nowMs, listsWantedMs);
    const sinceMs = Math.max(0, openSinceMs - LIST_MARGIN_MS);
    reads.want(fillsRead(state), listsMs, { again: true });
    reads.want({ type: "transfers", sinceMs }, listsMs, { again: true });
    // Lists end at the venue's time.
    reads.want({ type: "venueTime" }, listsMs, { again: true });
  }
  const againMs = checkMs > nowMs ? checkMs : nowMs + config.timing.driftMs;
  reads.want({ type: "balances" }, againMs, { again: true });
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
  const { tokenId, mayBeUnseen } = drift;
  const total = state.ledger?.total.get(tokenId) ?? ZERO;
  const message = `the balance of token ${tokenId} changed by ${signed(drift.amount)} ${blocksOf(drift)}, ${causeOf(drift)}`;
  const code = mayBeUnseen ? "BALANCE_CHANGED" : "BALANCE_DRIFT";
  state.notes.push({ type: "balanceDrift", code, message, total, ...drift });
}

function blocksOf({ afterBlock, untilBlock }: BalanceDrift): string {
  return untilBlock === afterBlock + 1
    ? `in block ${untilBlock}`
    : `in a block from ${afterBlock + 1} to ${untilBlock}`;
}

function causeOf({ transactions, transfers, unconfirmed, mayBeUnseen }: BalanceDrift): string {
  if (transfers.length > 0) {
    return `of which no event came: the list of transfers explains it by ${firstFew(transfers)}`;
  }
  const cause = mayBeUnseen
    ? "while events of the account may have been missed, for example of a deposit or withdrawal"
    : "and no fill, fee, deposit, withdrawal or transfer explains it";
  const known =
    transactions.length === 0
      ? "no transaction of the account is known there"
      : `known transactions there: ${firstFew(transactions)}`;
  const notDone =
    unconfirmed.length === 0
      ? ""
      : `; listed transfers of this amount, whose status does not say that they are done: ${firstFew(unconfirmed)}`;
  return `${cause}; ${known}${notDone}`;
}

function signed(amount: Fixed): string {
  return amount > 0n ? `+${fixedText(amount)}` : fixedText(amount);
}
