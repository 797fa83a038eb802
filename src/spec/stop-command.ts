import { assert } from "../base/assert.ts";
import type { Fixed } from "../domain/fixed.ts";
import { tokensOf, type MarketId } from "../domain/ids.ts";
import type { OrderMode } from "../domain/order.ts";
import { sideCode, type Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { wirePrice, wireQuantity } from "./command-amount.ts";

/** Places an order that waits for a trade at its stop price (0x25, D24). */
export interface StopCommand {
  readonly type: "stop";
  readonly nonce: number;
  readonly marketId: MarketId;
  readonly side: Side;
  /** Legal price (§4.5). */
  readonly stopPrice: number;
  readonly orderType: "LIMIT" | "MARKET";
  readonly orderMode: OrderMode;
  /** Limit price once it fired; 0 for market orders. */
  readonly price: number;
  /** In base token, or in quote token when `orderMode` is 1. */
  readonly quantity: Fixed;
}

export function stopContextText(command: StopCommand, owner: string): string {
  const { base, quote } = tokensOf(command.marketId);
  const isLimit = command.orderType === "LIMIT";
  assert(isLimit || command.price === 0, "a market order has price 0");
  return JSON.stringify({
    l1owner: owner,
    baseToken: base,
    quoteToken: quote,
    stopPrice: wirePrice(command.stopPrice),
    price: wirePrice(command.price),
    quantity: wireQuantity(command.quantity),
    side: sideCode(command.side),
    orderType: isLimit ? 0 : 1,
    orderMode: command.orderMode,
  });
}

/** The `tpsl` field of an order's context, with the comma before it. */
export function tpslText({ tpLimit, slTrigger, slLimit }: Tpsl): string {
  const limit = slLimit === undefined ? "" : `,"slLimit":"${wirePrice(slLimit)}"`;
  return `,"tpsl":{"tpLimit":"${wirePrice(tpLimit)}","slTrigger":"${wirePrice(slTrigger)}"${limit}}`;
}
