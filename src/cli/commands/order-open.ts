import { listOpenOrders } from "../../gateway/account-lists.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { text } from "../option.ts";
import { listOptions, listRows, oldestMs, orderTable } from "../order-list.ts";
import { strategyTags } from "../strategy-tags.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export const orderOpen = defineCommand({
  words: ["order", "open"],
  summary: "an account's orders that rest in a book, and the strategies that placed them",
  args: {},
  options: {
    ...listOptions(undefined),
    journal: text(
      "--journal <dir>",
      "a bot's journal, which knows its orders' strategies (default: of --config)",
    ),
  },
  examples: [
    "order open --config config/pure-market-making.yaml",
    "order open --market 1_2 --journal data/journal/pure-market-making",
  ],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, orders, journal } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      const sinceMs = await oldestMs(venue);
      return {
        address: account,
        orders: await listRows(venue, account, options, listOpenOrders, sinceMs),
        journal: venue.address.journal,
      };
    });
    const tags = await strategyTags(options.journal, journal, terminal);
    terminal.emit("order.open", {
      address,
      orders:
        tags === undefined
          ? orders
          : orders.map((order) => ({
              ...order,
              strategy: tags.get(order.orderId.toLowerCase()) ?? null,
            })),
    });
    terminal.print(orders.length === 0 ? "No open orders." : orderTable(orders, terminal, tags));
    return exitCode.done;
  },
});
