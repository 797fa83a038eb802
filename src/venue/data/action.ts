import type { FlatLevels } from "../../domain/depth.ts";
import type { Fixed } from "../../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../../domain/ids.ts";
import type { UnixMs } from "../../domain/time.ts";
import type {
  CommandOptions,
  ExchangeCommand,
  VerifiedTransaction,
} from "../../exchange/command.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { FlowTrade } from "../../exchange/recorded-liquidity.ts";
import type { Layer1Outcome } from "../../exchange/withdrawals.ts";

/** Something that changed the exchange. The same actions on equal exchanges lead to equal exchanges. */
export type Action = { readonly atMs: UnixMs } & (
  | { readonly type: "submit"; readonly transaction: VerifiedTransaction }
  | {
      readonly type: "execute";
      readonly account: Address;
      readonly command: ExchangeCommand;
      readonly options: CommandOptions;
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
  | { readonly type: "fire-due" }
);

/** Repeats the action. */
export function perform(exchange: Exchange, action: Action): void {
  const { atMs } = action;
  switch (action.type) {
    case "submit":
      exchange.submit(action.transaction, atMs);
      return;
    case "execute":
      exchange.execute(action.account, action.command, atMs, action.options);
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
    case "fire-due":
      exchange.fireDue(atMs);
      return;
  }
}
