import { assert } from "../base/assert.ts";
import type { OrderingCommand } from "./command.ts";
import type { OrderId } from "./ids.ts";

/** Ids of the two legs of an order with take profit and stop loss. */
export interface LegIds {
  readonly takeProfit: OrderId;
  readonly stopLoss: OrderId;
}

/** The leg ids derived from the main order's id (§4.4): the last byte plus 1 and plus 2, wrapping from `ff` to `00`. */
export function legIdsOf(orderId: OrderId): LegIds {
  return { takeProfit: derivedId(orderId, 1), stopLoss: derivedId(orderId, 2) };
}

/** The main order's id, from the id of one of its legs. */
export function mainIdOf(legId: OrderId, leg: "TP_LEG" | "SL_LEG"): OrderId {
  return derivedId(legId, leg === "TP_LEG" ? -1 : -2);
}

function derivedId(orderId: OrderId, step: number): OrderId {
  assert(orderId.length === 66, "an order id of 32 bytes");
  const last = Number.parseInt(orderId.slice(64), 16);
  const byte = ((last + step) & 0xff).toString(16).padStart(2, "0");
  return `${orderId.slice(0, 64)}${byte}` as OrderId;
}

/** Ids of all orders that a signed command makes: its own and those of its legs. */
export function idsMadeBy(command: OrderingCommand, txHash: OrderId): readonly OrderId[] {
  if (command.type !== "place" || command.tpsl === undefined) return [txHash];
  const { takeProfit, stopLoss } = legIdsOf(txHash);
  return [txHash, takeProfit, stopLoss];
}
