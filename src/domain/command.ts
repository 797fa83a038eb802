import type { Fixed } from "./fixed.ts";
import type { MarketId, OrderId } from "./ids.ts";
import type { OrderMode } from "./order.ts";
import type { Side } from "./side.ts";
import type { Tpsl } from "./tpsl.ts";

/**
 * A command to the venue (§4.4) before it is signed: plain data, made by the kernel. `intent` is the kernel's local
 * number of it (rising, never used twice in a run); `nonce` is allocated by the kernel, so the driver only encodes and signs.
 * The command's transaction hash is known right after signing; for `place` it is the order id (§1.7).
 */
export interface PlaceCommand {
  readonly type: "place";
  readonly intent: number;
  readonly nonce: number;
  /** Name of the strategy that wanted it. */
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** Legal limit price (§4.5); 0 for market orders. */
  readonly price: number;
  /** In base token, or in quote token when `orderMode` is 1. */
  readonly quantity: Fixed;
  /**
   * Of a limit order: it has two legs, whose ids follow from its own (`legIdsOf`). Their local numbers are `intent`
   * plus 1 and plus 2. Left out on plain orders.
   */
  readonly tpsl?: Tpsl;
}

/** Selling below or buying above the market limits a loss, the other two take a profit (D24). */
export type StopKind = "stop-loss" | "take-profit";

/** An order that waits for a trade at its stop price (§4.4, 0x25). */
export interface StopCommand {
  readonly type: "stop";
  readonly intent: number;
  readonly nonce: number;
  readonly strategy: string;
  /** The strategy's own name of it. */
  readonly name: string;
  readonly marketId: MarketId;
  readonly side: Side;
  /** What it is meant for: the venue tells it from the last price when it admits the order, which may have moved by then. */
  readonly kind: StopKind;
  /** Legal price (§4.5). */
  readonly stopPrice: number;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** Limit price once it fired; 0 for market orders. */
  readonly price: number;
  /** In base token, or in quote token when `orderMode` is 1. */
  readonly quantity: Fixed;
}

export interface CancelCommand {
  readonly type: "cancel";
  readonly intent: number;
  readonly nonce: number;
  readonly strategy: string;
  readonly orderId: OrderId;
}

/**
 * Cancel-and-replace of one of our limit orders, in one command (§4.4, D23). Both fields are always sent. The replacement's id
 * is this command's transaction hash; its market and side are those of the original.
 */
export interface ModifyCommand {
  readonly type: "modify";
  readonly intent: number;
  readonly nonce: number;
  readonly strategy: string;
  /** The original. */
  readonly orderId: OrderId;
  readonly marketId: MarketId;
  readonly side: Side;
  /** Legal limit price (§4.5). */
  readonly newPrice: number;
  /** In base token, what the original has executed included. */
  readonly newQty: Fixed;
}

/** What makes an order; its transaction hash is the order's id. */
export type OrderingCommand = PlaceCommand | StopCommand | ModifyCommand;

export type Command = OrderingCommand | CancelCommand;

/** Tells commands from the other things that a kernel decides. */
export function isCommand<Other extends { readonly type: string }>(
  one: Command | Other,
): one is Command {
  const { type } = one;
  return type === "place" || type === "stop" || type === "modify" || type === "cancel";
}

export function makesOrder(command: Command): command is OrderingCommand {
  return command.type !== "cancel";
}

/**
 * Why a venue refused a request, whatever its protocol says. `notFound`: no such order. `nonceUsed`: the nonce is taken, another one
 * may do. `rateLimited`: too many requests. `unauthorized`: the signer may not act for this account. `invalid`: the request broke a
 * rule. `unavailable`: a reason that is not the request's.
 */
export type RefusalReason =
  | "notFound"
  | "nonceUsed"
  | "rateLimited"
  | "unauthorized"
  | "invalid"
  | "unavailable";

/**
 * How a command's request ended (D11). `refused`: a readable no, so it was not taken. `not-sent`: no byte left.
 * `unknown`: a failure of the venue, an unreadable response, a time-out: only the venue, queried by id, can tell.
 */
export type CommandOutcome =
  | { readonly type: "accepted" }
  | {
      readonly type: "refused";
      readonly reason: RefusalReason;
      /** The venue's own words, for people. */
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly type: "not-sent"; readonly message: string }
  | { readonly type: "unknown"; readonly message: string };
