import { assert } from "../base/assert.ts";
import type { StopCommand } from "../domain/command.ts";
import { tokensOf } from "../domain/ids.ts";
import { sideCode } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import { wirePrice, wireQuantity } from "./command-amount.ts";

/** A stop order: waits for a trade at its stop price (0x25, D24). */
export type SignableStop = Omit<StopCommand, "intent" | "strategy" | "name" | "kind">;

export function stopContextText(command: SignableStop, owner: string): string {
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

/** The `tpsl` field of an order's context, including the comma before it. */
export function tpslText({ tpLimit, slTrigger, slLimit }: Tpsl): string {
  const limit = slLimit === undefined ? "" : `,"slLimit":"${wirePrice(slLimit)}"`;
  return `,"tpsl":{"tpLimit":"${wirePrice(tpLimit)}","slTrigger":"${wirePrice(slTrigger)}"${limit}}`;
}
