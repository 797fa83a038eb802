import { tokenSymbols } from "../token-of.ts";
import { listUserTrades } from "../../gateway/account-lists.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { listOptions, listRows, nothingText, reachOf30Days } from "../order-list.ts";
import { table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress } from "../venue-options.ts";

export const orderFills = defineCommand({
  words: ["order", "fills"],
  summary: "an account's executions, newest first",
  args: {},
  options: listOptions(listLimits.userTrades.default, reachOf30Days),
  examples: ["order fills --market 1_2 --limit 20"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, fills, symbols } = await withVenue(invocation, async (venue) => {
      const account = await accountAddress(options, venue.address, env);
      return {
        address: account,
        symbols: await tokenSymbols(venue),
        fills: await listRows(venue, account, options, listUserTrades),
      };
    });
    terminal.emit("order.fills", { address, fills });
    if (fills.length === 0) {
      terminal.print(nothingText("fills", options));
      return exitCode.done;
    }
    terminal.print(
      table(
        [
          { title: "time (UTC)" },
          { title: "market" },
          { title: "side" },
          { title: "price", align: "right" },
          { title: "quantity", align: "right" },
          { title: "fee", align: "right" },
          { title: "token" },
          { title: "as" },
          { title: "order id" },
        ],
        fills.map((fill) => [
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
    return exitCode.done;
  },
});
