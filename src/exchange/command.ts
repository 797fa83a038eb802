import type { Fixed } from "../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../domain/ids.ts";
import type { OrderMode } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { UnixSec } from "../domain/time.ts";

/** What every new order states. */
export interface OrderTerms {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** In quote token; 0 for a market order. */
  readonly price: Fixed;
  /** In base token, in quote token when `orderMode` is 1; positive. */
  readonly quantity: Fixed;
}

/** Take profit and stop loss of a limit order (§4.4, D25). */
export interface TpslRequest {
  readonly tpLimit: Fixed;
  readonly slTrigger: Fixed;
  /** Undefined: the stop loss is a market order. */
  readonly slLimit: Fixed | undefined;
}

export interface PlaceOrder extends OrderTerms {
  readonly type: "place";
  /** For limit orders only. */
  readonly tpsl?: TpslRequest | undefined;
}

/** Places an order that waits for a trade at its stop price (D24). */
export interface PlaceStopOrder extends OrderTerms {
  readonly type: "stop";
  readonly stopPrice: Fixed;
}

export interface CancelOrder {
  readonly type: "cancel";
  readonly orderId: OrderId;
}

export interface CancelAllOrders {
  readonly type: "cancel-all";
}

/** Cancels an order and places its replacement (D23). At least one of price and quantity is given. */
export interface ModifyOrder {
  readonly type: "modify";
  readonly orderId: OrderId;
  readonly price: Fixed | undefined;
  /** The new total, including what the order has executed. */
  readonly quantity: Fixed | undefined;
}

/** Moves the venue's native token to another account (D8). */
export interface TransferNative {
  readonly type: "transfer";
  readonly to: Address;
  readonly amount: Fixed;
}

export interface TransferToken {
  readonly type: "token-transfer";
  readonly to: Address;
  readonly tokenId: TokenId;
  readonly amount: Fixed;
}

export interface WithdrawToken {
  readonly type: "withdraw";
  /** A layer-1 address. */
  readonly to: Address;
  readonly tokenId: TokenId;
  readonly amount: Fixed;
}

/** Creates a session wallet, changes its expiry, or deletes it (D7, D26). */
export interface ChangeSession {
  readonly type: "session";
  readonly action: "create" | "update" | "delete";
  readonly sessionWallet: Address;
  readonly expirySec: UnixSec;
  /** The nonce in the typed data; it must equal the transaction's. */
  readonly nonce: number;
  /** Display name of a new session. */
  readonly name: string;
  /** The address that signed the typed data, as recovered from `l1signature`. */
  readonly l1signer: Address;
}

/** What an account can tell the exchange to do. `CommandProcessor.execute` carries each of them out. */
export type ExchangeCommand =
  | PlaceOrder
  | PlaceStopOrder
  | CancelOrder
  | CancelAllOrders
  | ModifyOrder
  | TransferNative
  | TransferToken
  | WithdrawToken
  | ChangeSession;

/** A command from a signed transaction (§4.4) whose form and signature have been checked (D5). */
export interface VerifiedTransaction {
  readonly signer: Address;
  readonly txHash: OrderId;
  readonly nonce: number;
  /** The account that the command is for. */
  readonly owner: Address;
  /** Whether a session wallet of the owner may sign this kind of command (D7). */
  readonly sessionMaySign: boolean;
  readonly command: ExchangeCommand;
}

export interface CommandOptions {
  /** Without one, a hash is derived from the number of the order or block. */
  readonly txHash?: OrderId | undefined;
  /** The transaction's nonce; left out when no transaction carries the command. */
  readonly nonce?: number | undefined;
}
