import { endpoints } from "../../spec/endpoints.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { orderIdArgument } from "../order-command.ts";
import { pairs } from "../table.ts";
import { timeText } from "../time-text.ts";
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
    terminal.print(
      pairs(
        Object.entries(order).map(([name, value]) => [
          name,
          name.endsWith("At") ? `${timeText(Number(value))} UTC` : String(value),
        ]),
      ),
    );
    return exitCode.done;
  },
});
