import { listOrderHistory } from "../../gateway/account-lists.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { listOptions, listRows, nothingText, reachOf30Days, orderTable } from "../order-list.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export const orderHistory = defineCommand({
  words: ["order", "history"],
  summary: "an account's orders that are over, newest first",
  args: {},
  options: listOptions(listLimits.orderHistory.default, reachOf30Days),
  examples: ["order history --limit 20 --from 2026-01-31T00:00:00Z"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const found = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      const rows = await listRows(venue, account, options, listOrderHistory);
      return { address: account, orders: rows };
    });
    const { orders } = found;
    terminal.emit("order.history", found);
    terminal.print(
      orders.length === 0 ? nothingText("orders", options) : orderTable(orders, terminal),
    );
    return exitCode.done;
  },
});
