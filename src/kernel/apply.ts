import { onBook, onDepth, onDepthAudit, onTrade } from "./market-data.ts";
import { noteUserEvent } from "./freshness/account.ts";
import { onCandles, onTrades } from "./history.ts";
import { noteMessage, onResubscribed, onStream } from "./stream.ts";
import { compareMarkets } from "./impossible/market-list.ts";
import type { Input } from "./input.ts";
import { stop } from "./lifecycle.ts";
import { onParams } from "./strategy/new-params.ts";
import { onOperator } from "./operator.ts";
import { onFills, onOpenOrders, onOrder, onOrderEvent, onResponse } from "./order-reports.ts";
import { awaitResponse } from "./orders/overdue.ts";
import { signerChanged } from "./orders/signature.ts";
import { closeRead, onReadFailed } from "./read-responses.ts";
import { onRestored } from "./restored.ts";
import { accountChanged, onBalances } from "./risk/account-balances.ts";
import { onSource } from "./sources/sources.ts";
import { onGuard } from "./standby/standby.ts";
import type { KernelState } from "./state.ts";
import { onClockStep, onVenueTime } from "./venue-clock.ts";

/** Inputs that a message from the venue becomes. Responses to commands note the message themselves. */
const fromVenue: ReadonlySet<Input["type"]> = new Set<Input["type"]>([
  "depth",
  "book",
  "depthAudit",
  "trade",
  "orderEvent",
  "accountEvent",
  "order",
  "openOrders",
  "fills",
  "balances",
  "transfers",
  "markets",
  "candles",
  "trades",
  "venueTime",
]);

/** Updates the state by one input. Makes no decisions. */
export function apply(state: KernelState, input: Input): void {
  if (fromVenue.has(input.type)) noteMessage(state);
  switch (input.type) {
    case "depth":
      return onDepth(state, input.event);
    case "book":
      return onBook(state, input.snapshot);
    case "depthAudit":
      return onDepthAudit(state, input.snapshot);
    case "trade":
      return onTrade(state, input.trade);
    case "source":
      return onSource(state, input);
    case "orderEvent":
      return onOrderEvent(state, input);
    case "accountEvent":
      noteUserEvent(state, undefined, input.event.timeMs);
      return accountChanged(state, input.event);
    case "stream":
      return onStream(state, input.state, input.reason);
    case "resubscribed":
      return onResubscribed(state, input.channel);
    case "signed":
      awaitResponse(state, input.intent);
      return state.orders.commands.signed(input.intent, input.txHash);
    case "response":
      return onResponse(state, input.intent, input.outcome);
    case "order":
      return onOrder(state, input);
    case "openOrders":
      return onOpenOrders(state, input);
    case "fills":
      return onFills(state, input);
    case "balances":
      return onBalances(state, input, closeRead(state, "balances", ""));
    case "transfers": {
      const queriedMs = closeRead(state, "transfers", "");
      return state.ledger?.listTransfers(input.transfers, { queriedMs, nowMs: state.nowMs });
    }
    case "markets":
      return compareMarkets(state, input.markets, closeRead(state, "markets", ""));
    case "candles":
      return onCandles(state, input);
    case "trades":
      return onTrades(state, input);
    case "venueTime":
      return onVenueTime(state, input, closeRead(state, "venueTime", ""));
    case "readFailed":
      return onReadFailed(state, input);
    case "tokenWanted":
      state.requests.tokensWanted += 1;
      return;
    case "clockStepped":
      return onClockStep(state, input.byMs);
    case "restored":
      return onRestored(state, input.restored);
    case "operator":
      return onOperator(state, input);
    case "mustStop":
      return stop(state, false, input.reason, input.limitMs);
    case "warning":
      state.notes.push({ type: "warning", code: input.code, message: input.message });
      return;
    case "guard":
      return onGuard(state, input.isConnected);
    case "params":
      return onParams(state, input.strategies);
    case "signerChanged":
      return signerChanged(state);
    case "journalFailed":
      return stop(state, false, `the journal cannot be written: ${input.message}`);
  }
}
