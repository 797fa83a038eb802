import { assert } from "../base/assert.ts";
import type { OrderingCommand } from "./command.ts";
import type { OrderId } from "./ids.ts";

/** Ids of the two legs that a take-profit/stop-loss order brings along. */
export interface LegIds {
  readonly takeProfit: OrderId;
  readonly stopLoss: OrderId;
}

/** The ids derived from the main order's (§4.4): its last byte plus 1 and plus 2, past `ff` comes `00`; no other byte changes. */
export function legIdsOf(orderId: OrderId): LegIds {
  assert(orderId.length === 66, "an order id of 32 bytes");
  const start = orderId.slice(0, 64);
  const last = Number.parseInt(orderId.slice(64), 16);
  const derived = (step: number) =>
    `${start}${((last + step) & 0xff).toString(16).padStart(2, "0")}` as OrderId;
  return { takeProfit: derived(1), stopLoss: derived(2) };
}

/** Ids of all orders that a signed command makes: its own, and those of the legs that it brings along. */
export function idsMadeBy(command: OrderingCommand, txHash: OrderId): readonly OrderId[] {
  if (command.type !== "place" || command.tpsl === undefined) return [txHash];
  const { takeProfit, stopLoss } = legIdsOf(txHash);
  return [txHash, takeProfit, stopLoss];
}
