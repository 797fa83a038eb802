import type { RefusalReason } from "../domain/command.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type {
  AccountEvent,
  ContingencyType,
  Fill,
  OrderEvent,
  OrderReport,
  OrderType,
  OtoLegType,
} from "../domain/order.ts";
import type { UnixMs } from "../domain/time.ts";

/** Records that the exchange returns and publishes: plain data that never changes afterwards. */

/** An order with its record id, by which lists are sorted (§1.8). */
export interface OrderRecord extends OrderReport {
  readonly recordId: number;
  readonly isTrigger: boolean;
  readonly isTriggered: boolean;
  /** 0 without a trigger. */
  readonly triggerPrice: Fixed;
  readonly contingencyType: ContingencyType;
  readonly otoLegType: OtoLegType;
  /** The transaction that created the order. Its hash is the order's id, except for the legs of a take-profit/stop-loss order. */
  readonly txHash: OrderId;
}

/** An execution of one account (§2.6). */
export interface UserTrade extends Fill {
  readonly recordId: number;
  readonly account: Address;
  readonly orderType: OrderType;
  readonly origPrice: Fixed;
  readonly origQty: Fixed;
}

/** A transfer between two accounts (§2.4, D34), not a withdrawal or deposit. */
export interface TransferRecord {
  readonly recordId: number;
  readonly fromAddress: Address;
  readonly toAddress: Address;
  readonly txType: "TRANSFER" | "TOKEN_TRANSFER";
  readonly tokenId: TokenId;
  readonly amount: Fixed;
  readonly timeMs: UnixMs;
  readonly txHash: string;
}

/** A public trade (§2.10) with exact amounts and the orders' ids. */
export interface TradeRecord {
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly price: number;
  readonly quantity: Fixed;
  readonly buyOrderId: string;
  readonly sellOrderId: string;
  readonly timeMs: UnixMs;
  readonly isBuyerMaker: boolean;
}

/** One aggregated level of the book; in a change, quantity 0 removes the level. */
export interface DepthLevel {
  readonly price: number;
  readonly quantity: Fixed;
}

/** What one block changed in a market's book (D27). Each changed level gets its own id, so ids are contiguous (D36). */
export interface DepthChange {
  readonly marketId: MarketId;
  readonly firstId: number;
  readonly finalId: number;
  readonly timeMs: UnixMs;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
}

/** A market's book at `lastId`, best levels first (§2.11). */
export interface BookRecord {
  readonly marketId: MarketId;
  readonly lastId: number;
  /** Time of the last change; 0 before the first. */
  readonly updatedAtMs: UnixMs;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
}

/** The 24-hour window of a market (§2.8). Prices are 0 before the first trade (D32). */
export interface TickerRecord {
  readonly marketId: MarketId;
  readonly price: number;
  readonly open24h: number;
  readonly high24h: number;
  readonly low24h: number;
  readonly volume24h: Fixed;
  readonly quoteVolume24h: Fixed;
}

/** An ORDER event with its account; `order` and `fill` are created when they are read. */
export interface BlockOrderEvent extends OrderEvent {
  readonly account: Address;
}

/** Everything that one accepted transaction, flow action or deposit caused (D30), in order. */
export interface Block {
  readonly blockNumber: number;
  readonly timeMs: UnixMs;
  readonly txHash: string;
  readonly orderEvents: readonly BlockOrderEvent[];
  readonly accountEvents: readonly AccountEvent[];
  readonly trades: readonly TradeRecord[];
  readonly depth: readonly DepthChange[];
}

/** How a command ended (D11): accepted with the transaction's hash, or refused without any effect. */
export type CommandResult = AcceptedCommand | Refusal;

export interface AcceptedCommand {
  readonly type: "accepted";
  readonly txHash: OrderId;
  /** Why the order it made is REJECTED (D12); for logs and people, since no message of the interface carries it. */
  readonly rejected: string | undefined;
}

export interface Refusal {
  readonly type: "refused";
  readonly reason: RefusalReason;
  /** One sentence for people. */
  readonly message: string;
}

export function accepted(txHash: OrderId, rejected?: string): AcceptedCommand {
  return { type: "accepted", txHash, rejected };
}

export function refused(reason: RefusalReason, message: string): Refusal {
  return { type: "refused", reason, message };
}
