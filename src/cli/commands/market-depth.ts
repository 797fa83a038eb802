import { endpoints } from "../../spec/endpoints.ts";
import { listLimits } from "../../spec/limits.ts";
import { defineCliCommand } from "../command.ts";
import { argument, integer } from "../option.ts";
import { right, table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "show the order book of a market",
  args: { market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)") },
  options: {
    ...venueOptions,
    limit: integer("--limit <n>", "levels on each side", {
      min: 1,
      max: listLimits.depth.max,
      fallback: 10,
    }),
  },
  examples: ["market depth 1_2 --limit 5"],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const { marketId, book } = await withVenue(invocation, async (venue) => {
      const id = await marketIdOf(venue, args.market);
      const query = { marketId: id, limit: options.limit };
      return { marketId: id, book: await venue.call(endpoints.depth, query) };
    });
    terminal.emit("market.depth", { marketId, ...book });
    const rows = Array.from({ length: Math.max(book.bids.length, book.asks.length) }, (_, at) => [
      book.bids[at]?.quantity ?? "",
      terminal.green(book.bids[at]?.price ?? ""),
      terminal.red(book.asks[at]?.price ?? ""),
      book.asks[at]?.quantity ?? "",
    ]);
    terminal.print(
      terminal.dim(`${marketId}  update ${book.lastUpdatedId}  ${timeText(book.updatedAt)}`),
    );
    terminal.print(table([right("quantity"), right("bid"), "ask", "quantity"], rows));
  },
});
