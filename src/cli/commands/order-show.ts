import { endpoints } from "../../spec/endpoints.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { orderIdArgument } from "../order-command.ts";
import { orderRows } from "../order-text.ts";
import { pairs } from "../table.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export const orderShow = defineCommand({
  words: ["order", "show"],
  summary: "one order by its id, whatever its status",
  args: { orderId: orderIdArgument },
  options: venueOptions,
  examples: [`order show 0x${"1f".repeat(32)}`],
  async run(invocation) {
    const { args, terminal } = invocation;
    const order = await withVenue(invocation, (venue) =>
      venue.ask(endpoints["order-show"], { orderId: args.orderId }),
    );
    terminal.emit("order.show", { ...order });
    terminal.print(pairs(orderRows(order)));
    return exitCode.done;
  },
});
