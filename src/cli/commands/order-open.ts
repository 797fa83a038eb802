import { endpoints } from "../../spec/endpoints.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { listOptions, listQuery, orderTable } from "../order-list.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export const orderOpen = defineCommand({
  words: ["order", "open"],
  summary: "an account's orders that rest in a book",
  args: {},
  options: listOptions(listLimits.openOrders),
  examples: ["order open --config config/pure-market-making.yaml", "order open --market 1_2"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, orders } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      const query = await listQuery(venue, account, options);
      return { address: account, orders: await venue.ask(endpoints["order-open"], query) };
    });
    terminal.emit("order.open", { address, orders });
    terminal.print(orders.length === 0 ? "No open orders." : orderTable(orders, terminal));
    return exitCode.done;
  },
});
