import { TouchlineError } from "../../base/error.ts";
import { fixed } from "../../domain/fixed.ts";
import { endpoints } from "../../spec/endpoints.ts";
import type { WireOrder } from "../../spec/resources.ts";
import { defineCliCommand } from "../command.ts";
import { yesOption } from "../confirm.ts";
import { confirmFarPrice } from "../far-price.ts";
import { usageError } from "../exit-code.ts";
import { parseLimitPrice } from "../limit-price.ts";
import { decimal, type Option } from "../option.ts";
import {
  awaitOrder,
  isOver,
  openCliWallet,
  orderIdArgument,
  outcomeUnknown,
} from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { orderRejected } from "../rejection.ts";
import { withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

const price: Option<string, undefined> = {
  flags: "--price <price>",
  about: "new limit price (default: unchanged)",
  fallback: undefined,
  parse: parseLimitPrice,
};
const quantity: Option<string, undefined> = {
  flags: "--quantity <quantity>",
  about: "new total quantity in base token (default: unchanged)",
  fallback: undefined,
  parse: (written) => decimal("", "").parse(written),
};

export default defineCliCommand({
  summary: "replace an order with a new price or quantity in one command",
  details:
    "Cancels the original; the replacement has a new id and loses its queue position. The quantity is the new total, including what " +
    "is filled. Venues may interpret it differently, and a fill may come first, so only an order without fills is modified, both " +
    "values are always sent, and the replacement is checked.",
  args: { orderId: orderIdArgument },
  options: { ...signingOptions, price, quantity, yes: yesOption },
  examples: [`order modify 0x${"1f".repeat(32)} --price 1835.5`],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const { orderId } = args;
    if (options.price === undefined && options.quantity === undefined) {
      throw usageError("Nothing to change: give --price, --quantity or both.");
    }
    const { wanted, sent, order, rejection } = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      const before = await venue.call(endpoints["order-show"], { orderId });
      const change = {
        price: options.price ?? before.price,
        quantity: options.quantity ?? before.origQty,
      };
      refuseUnlessPlain(before);
      const { marketId, side } = before;
      if (!options.yes) {
        await confirmFarPrice(venue, { marketId, isBuy: side === "BUY", price: change.price });
      }
      const modified = await wallet.send("modify", {
        orderId,
        newPrice: change.price,
        newQty: change.quantity,
      });
      const isDecided = (found: WireOrder) => found.status !== "PENDING_NEW";
      const fate = await awaitOrder(venue, modified.txHash, isDecided);
      return {
        wanted: change,
        sent: modified,
        order: fate,
        rejection: fate?.status === "REJECTED" ? await orderRejected(venue, fate) : undefined,
      };
    });
    if (order === undefined) throw outcomeUnknown("modified the order", sent.txHash);
    terminal.emit("order.modify", { ...order, replaced: orderId });
    terminal.print(orderTable([order], terminal));
    if (rejection !== undefined) {
      terminal.warn("the original was canceled nevertheless.");
      throw rejection;
    }
    const isRequested =
      fixed(order.origQty) === fixed(wanted.quantity) && fixed(order.price) === fixed(wanted.price);
    if (isRequested) return;
    throw new TouchlineError(
      "MODIFY_DIFFERS",
      `The replacement is ${order.origQty} at ${order.price}, not ${wanted.quantity} at ${wanted.price}: a fill came first, or this venue interprets a modify differently.`,
      { hint: `See: touchline order show ${orderId}` },
    );
  },
});

/** A venue may interpret `newQty` of an order with fills differently (D23). */
function refuseUnlessPlain(order: WireOrder): void {
  const reason = isOver(order)
    ? `is already ${order.status}`
    : fixed(order.executedQty) > 0n
      ? `is partly filled: ${order.executedQty} of ${order.origQty}`
      : fixed(order.price) === 0n
        ? "has no limit price"
        : undefined;
  if (reason === undefined) return;
  throw new TouchlineError("NOT_MODIFIABLE", `The order ${reason}. Nothing was sent.`, {
    context: { orderId: order.orderId },
    hint: isOver(order) ? "Place a new order." : "Cancel it and place a new order.",
  });
}
