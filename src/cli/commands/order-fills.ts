import { tokenSymbols } from "../token-of.ts";
import { listUserTrades } from "../../gateway/account-lists.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCliCommand } from "../command.ts";
import { listOptions, listRows, emptyListText, reachOf30Days } from "../order-list.ts";
import { journalOption, strategyTags, tagOf, withTag } from "../strategy-tags.ts";
import { right, table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list an account's executions, newest first, with the strategies that placed the orders",
  options: {
    ...listOptions(listLimits.userTrades.default, reachOf30Days),
    journal: journalOption,
  },
  examples: ["order fills --market 1_2 --limit 20"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, fills, symbols, journal } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      return {
        address: account,
        symbols: await tokenSymbols(venue),
        fills: await listRows(venue, account, options, listUserTrades),
        journal: venue.address.journal,
      };
    });
    const source = { given: options.journal, configured: journal, terminal };
    const tags = await strategyTags(fills, source);
    terminal.emit("order.fills", { address, fills: fills.map((fill) => withTag(fill, tags)) });
    if (fills.length === 0) {
      terminal.print(emptyListText("fills", options));
      return;
    }
    terminal.print(
      table(
        [
          ...(tags === undefined ? [] : ["strategy"]),
          "time (UTC)",
          "market",
          "side",
          right("price"),
          right("quantity"),
          right("fee"),
          "token",
          "as",
          "order id",
        ],
        fills.map((fill) => [
          ...(tags === undefined ? [] : [tagOf(tags, fill) ?? ""]),
          timeText(fill.createdAt),
          fill.marketId,
          fill.side === "BUY" ? terminal.green("BUY") : terminal.red("SELL"),
          fill.price,
          fill.quantity,
          fill.fee,
          symbols.get(fill.feeTokenId) ?? fill.feeTokenId,
          fill.isMaker ? "maker" : "taker",
          fill.orderId,
        ]),
      ),
    );
  },
});
