import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { orderIdArgument } from "../order-command.ts";
import { orderRows } from "../order-text.ts";
import { journalOption, strategyTags, tagOf, withTag } from "../strategy-tags.ts";
import { pairs } from "../table.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "show one order by its id",
  args: { orderId: orderIdArgument },
  options: { ...venueOptions, journal: journalOption },
  examples: [`order show 0x${"1f".repeat(32)}`],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const { order, journal } = await withVenue(invocation, async (venue) => ({
      order: await venue.call(endpoints["order-show"], { orderId: args.orderId }),
      journal: venue.address.journal,
    }));
    const source = { given: options.journal, configured: journal, terminal };
    const tags = await strategyTags([order], source);
    terminal.emit("order.show", { ...withTag(order, tags) });
    const strategy = tagOf(tags, order);
    terminal.print(
      pairs([
        ...orderRows(order),
        ...(strategy === undefined ? [] : [["strategy", strategy] as const]),
      ]),
    );
  },
});
