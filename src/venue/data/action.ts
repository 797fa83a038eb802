import type { FlatLevels } from "../../domain/depth.ts";
import type { Fixed } from "../../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../../domain/ids.ts";
import type { UnixMs } from "../../domain/time.ts";
import type { OrderRequest } from "../../exchange/admission.ts";
import type { VerifiedTransaction } from "../../exchange/command-processor.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { OrderModification, PlaceOptions } from "../../exchange/order-entry.ts";
import type { FlowTrade } from "../../exchange/recorded-flow.ts";
import type { MoveRequest } from "../../exchange/token-transfers.ts";
import type { Layer1Outcome } from "../../exchange/withdrawals.ts";
import { exactJson, parseExactJson } from "./exact-json.ts";

/** Something that changed the exchange. The same actions on the same exchange give the same exchange again. */
export type Action = { readonly atMs: UnixMs } & (
  | { readonly type: "submit"; readonly transaction: VerifiedTransaction }
  | {
      readonly type: "place";
      readonly account: Address;
      readonly request: OrderRequest;
      readonly options: PlaceOptions;
    }
  | {
      readonly type: "cancel";
      readonly account: Address;
      readonly orderId: OrderId;
      readonly txHash: OrderId | undefined;
    }
  | {
      readonly type: "cancel-all";
      readonly account: Address;
      readonly txHash: OrderId | undefined;
    }
  | {
      readonly type: "modify";
      readonly account: Address;
      readonly orderId: OrderId;
      readonly change: OrderModification;
      readonly options: PlaceOptions;
    }
  | {
      readonly type: "transfer" | "withdraw";
      readonly account: Address;
      readonly request: MoveRequest;
      readonly txHash: OrderId | undefined;
    }
  | {
      readonly type: "settle-withdrawal";
      readonly txHash: OrderId;
      readonly outcome: Layer1Outcome;
    }
  | { readonly type: "retry-withdrawal"; readonly txHash: OrderId }
  | {
      readonly type: "deposit";
      readonly account: Address;
      readonly amounts: ReadonlyMap<TokenId, Fixed>;
    }
  | { readonly type: "see"; readonly account: Address }
  | {
      readonly type: "flow-depth";
      readonly marketId: MarketId;
      readonly bids: FlatLevels;
      readonly asks: FlatLevels;
    }
  | { readonly type: "flow-trade"; readonly marketId: MarketId; readonly trade: FlowTrade }
  | { readonly type: "clear-flows" }
);

/** Does the action once more. */
export function perform(exchange: Exchange, action: Action): void {
  const { atMs } = action;
  switch (action.type) {
    case "submit":
      exchange.submit(action.transaction, atMs);
      return;
    case "place":
      exchange.place(action.account, action.request, atMs, action.options);
      return;
    case "cancel":
      exchange.cancel(action.account, action.orderId, atMs, action.txHash);
      return;
    case "cancel-all":
      exchange.cancelAll(action.account, atMs, action.txHash);
      return;
    case "modify":
      exchange.modify(action.account, action.orderId, action.change, atMs, action.options);
      return;
    case "transfer":
      exchange.transfer(action.account, action.request, atMs, action.txHash);
      return;
    case "withdraw":
      exchange.withdraw(action.account, action.request, atMs, action.txHash);
      return;
    case "settle-withdrawal":
      exchange.settleWithdrawal(action.txHash, action.outcome, atMs);
      return;
    case "retry-withdrawal":
      exchange.retryWithdrawal(action.txHash, atMs);
      return;
    case "deposit":
      exchange.deposit(action.account, action.amounts, atMs);
      return;
    case "see":
      exchange.see(action.account, atMs);
      return;
    case "flow-depth":
      exchange.flowDepth(action.marketId, action.bids, action.asks, atMs);
      return;
    case "flow-trade":
      exchange.flowTrade(action.marketId, action.trade, atMs);
      return;
    case "clear-flows":
      exchange.clearFlows(atMs);
      return;
  }
}

/** One line of text without a line break. */
export function encodeAction(action: Action): string {
  // Signed transactions are the many; they have nothing in them that plain JSON could not hold.
  return action.type === "submit" ? JSON.stringify(action) : exactJson(action);
}

export function decodeAction(line: string): Action {
  return (line.includes('"type":"submit"') ? JSON.parse(line) : parseExactJson(line)) as Action;
}
