import type { CancelCommand, PlaceCommand } from "../../src/domain/command.ts";
import { addFixed, fixed, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import { tokenId, type Address, type MarketId, type OrderId } from "../../src/domain/ids.ts";
import type { Market } from "../../src/domain/market.ts";
import type {
  Fill,
  OrderEvent,
  OrderEventType,
  OrderReport,
  OrderStatus,
} from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { OrderTracker } from "../../src/orders/order-tracker.ts";
import { openExposureOf } from "../../src/orders/tracked-order.ts";
import { testMarket } from "../support/exchange.ts";

export const marketId = "1_2" as MarketId;
export const account = `0x${"aa".repeat(20)}` as Address;

export const market: Market = testMarket();

/** The most that all live orders of a side may still fill, base token. */
export function exposureOf(tracker: OrderTracker, marketId: MarketId, side: Side): Fixed {
  return tracker
    .live()
    .filter((order) => order.marketId === marketId && order.side === side)
    .reduce((sum, order) => addFixed(sum, openExposureOf(order)), ZERO);
}

/** A stand-in for a transaction hash. */
export function idOf(number: number): OrderId {
  return `0x${number.toString(16).padStart(64, "0")}` as OrderId;
}

export interface PlaceOptions {
  readonly side?: Side;
  readonly price?: number;
  readonly quantity?: string;
  readonly strategy?: string;
}

export function placeCommand(intent: number, options: PlaceOptions = {}): PlaceCommand {
  return {
    type: "place",
    intent,
    nonce: 1_800_000_000_000 + intent,
    strategy: options.strategy ?? "maker",
    marketId,
    side: options.side ?? "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: options.price ?? 100,
    quantity: fixed(options.quantity ?? "10"),
  };
}

export function cancelCommand(intent: number, orderId: OrderId): CancelCommand {
  return { type: "cancel", intent, nonce: 1_800_000_000_000 + intent, strategy: "maker", orderId };
}

export interface ReportOptions {
  readonly side?: Side;
  readonly price?: string;
  readonly quantity?: string;
  readonly executed?: string;
}

export function reportOf(
  orderId: OrderId,
  status: OrderStatus,
  options: ReportOptions = {},
): OrderReport {
  return {
    orderId,
    account,
    marketId,
    side: options.side ?? "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: fixed(options.price ?? "100"),
    origQty: fixed(options.quantity ?? "10"),
    origQuoteOrderQty: ZERO,
    executedQty: fixed(options.executed ?? "0"),
    executedQuoteQty: ZERO,
    status,
    createdAtMs: unixMs(0),
    updatedAtMs: unixMs(0),
  };
}

export interface FillOptions {
  readonly side?: Side;
  readonly price?: string;
  readonly fee?: string;
  readonly feeToken?: string;
  readonly isMaker?: boolean;
}

export function fillOf(
  orderId: OrderId,
  tradeId: string,
  quantity: string,
  options: FillOptions = {},
): Fill {
  const side = options.side ?? "BUY";
  return {
    tradeId,
    orderId,
    marketId,
    side,
    price: fixed(options.price ?? "100"),
    quantity: fixed(quantity),
    fee: fixed(options.fee ?? "0"),
    feeToken: tokenId(options.feeToken ?? (side === "BUY" ? "1" : "2")),
    isMaker: options.isMaker ?? true,
    timeMs: unixMs(0),
  };
}

export function eventOf(
  eventType: OrderEventType,
  order: OrderReport,
  options: { readonly fill?: Fill; readonly blockNumber?: number } = {},
): OrderEvent {
  return {
    eventType,
    order,
    fill: options.fill,
    blockNumber: options.blockNumber ?? 1,
    timeMs: unixMs(0),
    txHash: order.orderId,
  };
}
