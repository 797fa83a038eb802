import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { optionalArgument } from "../option.ts";
import { right, table } from "../table.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "show 24-hour tickers of one market or of all",
  args: { market: optionalArgument("[market]", "market id (1_2) or ticker (ETH/USDT)") },
  options: venueOptions,
  examples: ["market ticker 1_2"],
  async run(invocation) {
    const { args, terminal } = invocation;
    const tickers = await withVenue(invocation, async (venue) => {
      const query =
        args.market === undefined ? {} : { marketId: await marketIdOf(venue, args.market) };
      return venue.call(endpoints.ticker, query);
    });
    terminal.emit("market.ticker", { tickers });
    terminal.print(
      table(
        [
          "market",
          right("price"),
          right("open"),
          right("high"),
          right("low"),
          right("volume"),
          right("quote volume"),
        ],
        tickers.map((ticker) => [
          ticker.marketId,
          ticker.price,
          ticker.open24h,
          ticker.high24h,
          ticker.low24h,
          ticker.volume24h,
          ticker.quoteVolume24h,
        ]),
      ),
    );
  },
});
