import { symbolOf } from "./token-of.ts";
import { fixed } from "../domain/fixed.ts";
import type { WireAccountEvent, WireOrderEvent } from "../spec/channels/user-event.ts";
import type { Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";

/** Formats user events (§6.4) as lines for people. */

export type PrintableUserEvent = WireOrderEvent | WireAccountEvent;

export function userEventText(
  event: PrintableUserEvent,
  symbols: ReadonlyMap<string, string>,
  terminal: Terminal,
): string {
  const time = terminal.dim(timeText(event.eventTime));
  const type = event.eventType.padEnd(8);
  const text =
    event.topic === "ORDER" ? orderText(event, symbols, terminal) : accountText(event, symbols);
  return `${time}  ${type}  ${text}`;
}

function orderText(
  event: WireOrderEvent,
  symbols: ReadonlyMap<string, string>,
  terminal: Terminal,
): string {
  const { marketId, orderType, orderId, side, executedQty, status } = event;
  const painted = side === "BUY" ? terminal.green(side) : terminal.red(side);
  const quantity = event.orderMode === 1 ? `${event.origQuoteOrderQty} quote` : event.origQty;
  const price = fixed(event.origPrice) === 0n ? "" : ` at ${event.origPrice}`;
  const order = `${marketId} ${painted} ${quantity}${price} ${orderType}`;
  const fee =
    event.feeTokenId === null
      ? ""
      : `, fee ${event.fee} ${symbols.get(event.feeTokenId) ?? event.feeTokenId}`;
  const what =
    event.eventType === "TRADE"
      ? `: ${event.lastQty} at ${event.lastPrice} as ${event.isMaker ? "maker" : "taker"}${fee}; ${executedQty} executed, ${status}`
      : fixed(executedQty) === 0n
        ? ""
        : `: ${executedQty} executed`;
  return `${order}${what}  ${terminal.dim(orderId)}`;
}

function accountText(event: WireAccountEvent, symbols: ReadonlyMap<string, string>): string {
  const { tokenId, amount, accountAddress } = event;
  const moved = `${amount} ${symbolOf(symbols, tokenId)}`;
  if (event.eventType !== "TRANSFER") return moved;
  const isIn = event.toAddress.toLowerCase() === accountAddress.toLowerCase();
  return isIn ? `${moved} from ${event.fromAddress}` : `${moved} to ${event.toAddress}`;
}
