import type { Fixed } from "./fixed.ts";
import type { MarketId, OrderId } from "./ids.ts";
import type { OrderMode } from "./order.ts";
import type { Side } from "./side.ts";

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
export type OrderingCommand = PlaceCommand | ModifyCommand;

export type Command = OrderingCommand | CancelCommand;

/** Tells commands from the other things that a kernel decides. */
export function isCommand<Other extends { readonly type: string }>(
  one: Command | Other,
): one is Command {
  return one.type === "place" || one.type === "modify" || one.type === "cancel";
}

export function makesOrder(command: Command): command is OrderingCommand {
  return command.type !== "cancel";
}

/**
 * How a command's request ended (D11). `refused`: a readable 4xx, so it was not taken. `not-sent`: no byte left.
 * `unknown`: 5xx, a broken answer, a time-out: only the venue, asked by id, can tell.
 */
export type CommandOutcome =
  | { readonly type: "accepted" }
  | {
      readonly type: "refused";
      readonly code: number;
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly type: "not-sent"; readonly message: string }
  | { readonly type: "unknown"; readonly message: string };
