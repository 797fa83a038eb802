import { listOpenOrders } from "../../gateway/account-lists.ts";
import { defineCliCommand } from "../command.ts";
import { listOptions, listRows, oldestMs, orderTable } from "../order-list.ts";
import { journalOption, strategyTags, withTag } from "../strategy-tags.ts";
import { venueNowMs, withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list an account's open orders, with the strategies that placed them",
  options: {
    ...listOptions(undefined),
    journal: journalOption,
  },
  examples: [
    "order open --config config/pure-market-making.yaml",
    "order open --market 1_2 --journal data/journal/pure-market-making",
  ],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, orders, journal, nowMs } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      const sinceMs = await oldestMs(venue);
      return {
        address: account,
        orders: await listRows(venue, account, { ...options, sinceMs }, listOpenOrders),
        journal: venue.address.journal,
        nowMs: await venueNowMs(venue),
      };
    });
    const source = { given: options.journal, configured: journal, terminal };
    const tags = await strategyTags(
      // Their creation time is set to now, so that the end of the journal is searched, however long they have rested.
      orders.map(({ orderId }) => ({ orderId, createdAt: nowMs })),
      source,
    );
    terminal.emit("order.open", { address, orders: orders.map((order) => withTag(order, tags)) });
    terminal.print(orders.length === 0 ? "No open orders." : orderTable(orders, terminal, tags));
  },
});
