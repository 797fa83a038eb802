import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { right, table } from "../table.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list the markets and their fees",
  options: venueOptions,
  examples: ["market list --venue http://127.0.0.1:8717"],
  async run(invocation) {
    const { terminal } = invocation;
    const markets = await withVenue(invocation, (venue) => venue.call(endpoints.market, {}));
    terminal.emit("market.list", { markets });
    terminal.print(
      table(
        ["market", "ticker", right("maker fee"), right("taker fee"), "listed"],
        markets.map((market) => [
          market.marketId,
          market.ticker,
          market.makerFee,
          market.takerFee,
          market.listed ? "yes" : "no",
        ]),
      ),
    );
  },
});
