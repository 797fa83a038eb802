import type { Fixed } from "./fixed.ts";
import type { MarketId, OrderId } from "./ids.ts";
import type { OrderMode } from "./order.ts";
import type { Side } from "./side.ts";
import type { Tpsl } from "./tpsl.ts";

/**
 * A command to the venue (§4.4) before it is signed: plain data, made by the kernel. The kernel numbers its commands by
 * `intent` (rising, never used twice in a run) and allocates the `nonce`, so the driver only encodes and signs.
 * The transaction hash is known right after signing; for `place` it is the order id (§1.7).
 */
export interface PlaceCommand {
  readonly type: "place";
  readonly intent: number;
  readonly nonce: number;
  /** Name of the strategy that the command is for. */
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
   * Limit orders only: the order has two legs, whose ids follow from its own (`legIdsOf`) and whose intents are `intent`
   * plus 1 and plus 2. Left out on plain orders.
   */
  readonly tpsl?: Tpsl;
  /** Only for a take. */
  readonly take?: TakeTerms;
  /** Only for a quote: its level. */
  readonly key?: string;
}

/** What makes an order a take: it trades at once, and what does not trade is canceled. */
export interface TakeTerms {
  /** The strategy's name for it. */
  readonly name: string;
  /** Worst price that it was sized for: the limit price, and the value of a market order. */
  readonly worst: number;
}

/** Selling below or buying above the market limits a loss, the other two take a profit (D24). */
export type StopKind = "stop-loss" | "take-profit";

/** An order that waits for a trade at its stop price (§4.4, 0x25). */
export interface StopCommand {
  readonly type: "stop";
  readonly intent: number;
  readonly nonce: number;
  readonly strategy: string;
  /** The strategy's name for the stop order. */
  readonly name: string;
  readonly marketId: MarketId;
  readonly side: Side;
  /** The kind that the strategy means; the venue derives it from the last price at admission, which may have moved by then. */
  readonly kind: StopKind;
  /** Legal price (§4.5). */
  readonly stopPrice: number;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** Limit price after it has fired; 0 for market orders. */
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
  /** In base token, including what the original has executed. */
  readonly newQty: Fixed;
  /** The quote's level. */
  readonly key?: string;
}

/** A command that makes an order; its transaction hash is the order id. */
export type OrderingCommand = PlaceCommand | StopCommand | ModifyCommand;

export type Command = OrderingCommand | CancelCommand;

/** True for the effects that are commands. */
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
 * Why a venue refused a request, whatever its protocol says. `notFound`: no such order. `nonceUsed`: the nonce is taken; another one may
 * work. `rateLimited`: too many requests. `unauthorized`: the signer may not act for this account. `forbidden`: something before the
 * venue stopped the request. `invalid`: the request broke a rule. `unavailable`: a reason outside the request.
 */
export type RefusalReason =
  | "notFound"
  | "nonceUsed"
  | "rateLimited"
  | "unauthorized"
  | "forbidden"
  | "invalid"
  | "unavailable";

/**
 * How a command's request ended (D11). `refused`: a readable 4xx, so it was not taken. `not-sent`: no byte left.
 * `unknown`: 5xx, a broken response or a time-out, so only a query by order id can tell.
 */
export type CommandOutcome =
  | { readonly type: "accepted" }
  | {
      readonly type: "refused";
      readonly reason: RefusalReason;
      /** The venue's own words, for people. */
      readonly message: string;
      /** How long the venue asks to wait, at most a minute; undefined when it does not say. */
      readonly retryAfterMs: number | undefined;
    }
  | {
      readonly type: "not-sent";
      readonly message: string;
      /** We did not try, for a reason of our own, so it says nothing about the connection. */
      readonly isHeldBack?: true;
    }
  | {
      readonly type: "unknown";
      readonly message: string;
      /** Present after an unreadable 429, for instance a proxy's. */
      readonly isRateLimited?: true;
      /** As of a refusal. Present only beside `isRateLimited`. */
      readonly retryAfterMs?: number | undefined;
    };
