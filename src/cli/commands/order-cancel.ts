import { defineCliCommand } from "../command.ts";
import {
  awaitOrder,
  isOver,
  openCliWallet,
  orderIdArgument,
  outcomeUnknown,
} from "../order-command.ts";
import { orderTable } from "../order-list.ts";
import { withVenue } from "../venue-access.ts";
import { signingOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "cancel one order and wait until it is over",
  args: { orderId: orderIdArgument },
  options: signingOptions,
  examples: [`order cancel 0x${"1f".repeat(32)}`],
  async run(invocation) {
    const { args, terminal } = invocation;
    const { orderId } = args;
    const order = await withVenue(invocation, async (venue) => {
      const wallet = await openCliWallet(venue, invocation);
      await wallet.send("cancel", { orderId });
      return awaitOrder(venue, orderId, isOver);
    });
    if (order === undefined || !isOver(order)) throw outcomeUnknown("canceled the order", orderId);
    terminal.emit("order.cancel", { ...order });
    terminal.print(orderTable([order], terminal));
  },
});
