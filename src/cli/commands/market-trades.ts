import { endpoints } from "../../spec/endpoints.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCliCommand } from "../command.ts";
import { argument, integer } from "../option.ts";
import { right, table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list recent trades of a market, newest first",
  args: { market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)") },
  options: {
    ...venueOptions,
    limit: integer("--limit <n>", "number of trades", {
      min: 1,
      max: listLimits.publicTrades.max,
      fallback: listLimits.publicTrades.default,
    }),
  },
  examples: ["market trades 1_2 --limit 50"],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const { marketId, trades } = await withVenue(invocation, async (venue) => {
      const id = await marketIdOf(venue, args.market);
      const query = { marketId: id, limit: options.limit };
      return { marketId: id, trades: await venue.call(endpoints.trades, query) };
    });
    terminal.emit("market.trades", { marketId, trades });
    terminal.print(
      table(
        ["time (UTC)", right("price"), right("quantity"), "taker"],
        trades.map((trade) => [
          timeText(trade.createdAt),
          trade.price,
          trade.quantity,
          trade.isBuyerMaker ? terminal.red("sells") : terminal.green("buys"),
        ]),
      ),
    );
  },
});
