import { listOrderHistory } from "../../gateway/account-lists.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCliCommand } from "../command.ts";
import { listOptions, listRows, emptyListText, reachOf30Days, orderTable } from "../order-list.ts";
import { journalOption, strategyTags, withTag } from "../strategy-tags.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list an account's completed orders, newest first, with the strategies that placed them",
  options: {
    ...listOptions(listLimits.orderHistory.default, reachOf30Days),
    journal: journalOption,
  },
  examples: ["order history --limit 20 --from 2026-01-31T00:00:00Z"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, orders, journal } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      return {
        address: account,
        orders: await listRows(venue, account, options, listOrderHistory),
        journal: venue.address.journal,
      };
    });
    const source = { given: options.journal, configured: journal, terminal };
    const tags = await strategyTags(orders, source);
    terminal.emit("order.history", {
      address,
      orders: orders.map((order) => withTag(order, tags)),
    });
    terminal.print(
      orders.length === 0 ? emptyListText("orders", options) : orderTable(orders, terminal, tags),
    );
  },
});
