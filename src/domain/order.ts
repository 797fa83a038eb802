import { type Fixed, fixedText, subFixed, ZERO } from "./fixed.ts";
import { type Address, type MarketId, type OrderId, type TokenId, tokensOf } from "./ids.ts";
import type { Side } from "./side.ts";
import type { UnixMs } from "./time.ts";

/** Order type in responses (§2.1). */
export const orderTypes = [
  "LIMIT",
  "MARKET",
  "TAKE_PROFIT_LIMIT",
  "TAKE_PROFIT_MARKET",
  "STOP_LOSS_LIMIT",
  "STOP_LOSS_MARKET",
] as const;
export type OrderType = (typeof orderTypes)[number];

/** Order status (§2.1, §3). */
export const orderStatuses = [
  "NEW",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "REJECTED",
  "EXPIRED",
  "PENDING_NEW",
  "PENDING_CANCEL",
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const contingencyTypes = ["NONE", "OCO", "OTO"] as const;
export type ContingencyType = (typeof contingencyTypes)[number];

export const otoLegTypes = ["NONE", "WORKING_LEG", "TP_LEG", "SL_LEG", "OCO_LEG"] as const;
export type OtoLegType = (typeof otoLegTypes)[number];

/** 0: quantity in base token; 1: quantity in quote token, market orders only (§2.1). */
export type OrderMode = 0 | 1;

/** A status that no later event changes. */
export function isTerminal(status: OrderStatus): boolean {
  return (
    status === "FILLED" || status === "CANCELED" || status === "REJECTED" || status === "EXPIRED"
  );
}

/** Stop orders and take-profit/stop-loss legs: their events do not tell what the venue locks for them (D24, D25). */
export function isContingent(orderType: OrderType): boolean {
  return orderType !== "LIMIT" && orderType !== "MARKET";
}

/** An order as the venue reports it (§2.5): the fields that trading needs, exact. */
export interface OrderReport {
  readonly orderId: OrderId;
  readonly account: Address;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly orderMode: OrderMode;
  readonly price: Fixed;
  readonly origQty: Fixed;
  readonly origQuoteOrderQty: Fixed;
  readonly executedQty: Fixed;
  readonly executedQuoteQty: Fixed;
  readonly status: OrderStatus;
  readonly createdAtMs: UnixMs;
  readonly updatedAtMs: UnixMs;
  /** Stop orders only: whether it has fired. Of the user events, only TRIGGER says so. */
  readonly isTriggered?: boolean;
}

/** One of our executions (§2.6, or a TRADE event of §6.4). */
export interface Fill {
  readonly tradeId: string;
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: Fixed;
  readonly quantity: Fixed;
  readonly fee: Fixed;
  readonly feeToken: TokenId;
  readonly isMaker: boolean;
  readonly timeMs: UnixMs;
}

/** Stands in place of an order's id in a fill that a person books: a trade made elsewhere than by an order of the bot. */
export const BY_HAND = "by hand" as OrderId;

/** The token that a fill brings, in which its fee is charged (D18). */
export function receivedToken(marketId: MarketId, side: Side): TokenId {
  const { base, quote } = tokensOf(marketId);
  return side === "BUY" ? base : quote;
}

/** Kind of an ORDER event (§6.4). */
export type OrderEventType = "NEW" | "TRADE" | "CANCEL" | "TRIGGER" | "REJECTED";

/** An ORDER event of the user stream (§6.4). Only TRADE has a `fill`. */
export interface OrderEvent {
  readonly eventType: OrderEventType;
  readonly order: OrderReport;
  readonly fill: Fill | undefined;
  readonly blockNumber: number;
  readonly timeMs: UnixMs;
  readonly txHash: string;
}

/** An ACCOUNT event of the user stream (§6.4). */
export interface AccountEvent {
  readonly eventType: "DEPOSIT" | "WITHDRAW" | "TRANSFER";
  readonly account: Address;
  readonly tokenId: TokenId;
  readonly amount: Fixed;
  /** TRANSFER only. */
  readonly fromAddress: Address | undefined;
  readonly toAddress: Address | undefined;
  readonly blockNumber: number;
  readonly timeMs: UnixMs;
  readonly txHash: string;
}

/** A transfer between the account and another one, as a list shows it (§2.4): without its block. */
export interface Transfer {
  readonly tokenId: TokenId;
  /** Positive: the account received it. Zero: it is a transfer to oneself. */
  readonly amount: Fixed;
  readonly timeMs: UnixMs;
  readonly txHash: string;
  /** The venue's text. Our own exchange has none; its transfers are done. */
  readonly status?: string;
}

/** A transfer as one of its two accounts sees it. */
export function transferOf(
  owner: Address,
  row: Transfer & { readonly fromAddress: Address; readonly toAddress: Address },
): Transfer {
  const { fromAddress, toAddress, tokenId, timeMs, txHash, status } = row;
  const received = toAddress === owner ? row.amount : ZERO;
  const amount = fromAddress === owner ? subFixed(received, row.amount) : received;
  return { tokenId, amount, timeMs, txHash, ...(status === undefined ? {} : { status }) };
}

/** A token balance of an account (§2.2). */
export interface Balance {
  readonly tokenId: TokenId;
  readonly locked: Fixed;
  readonly unlocked: Fixed;
}

/** What a fill did, as text for people, such as `bought 0.5 at 2000`. */
export function fillText({ side, quantity, price }: Pick<Fill, "side" | "quantity" | "price">) {
  return `${side === "BUY" ? "bought" : "sold"} ${fixedText(quantity)} at ${fixedText(price)}`;
}
