import { resolutionSec, type Resolution } from "../../spec/endpoints/candles.ts";
import { endpoints } from "../../spec/endpoints.ts";
import { CANDLES_MAX } from "../../spec/limits.ts";
import { defineCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { argument, integer, textOr, timeOption } from "../option.ts";
import { table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { marketIdOf, venueNowMs, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export const marketCandles = defineCommand({
  words: ["market", "candles"],
  summary: "candles of a market",
  args: { market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)") },
  options: {
    ...venueOptions,
    resolution: textOr(
      "--resolution <code>",
      `one of ${Object.keys(resolutionSec).join(" ")}`,
      "1",
    ),
    limit: integer("--limit <n>", "how many intervals back, unless --from is given", {
      min: 1,
      max: CANDLES_MAX,
      fallback: 60,
    }),
    from: timeOption("--from <time>", "first interval, ISO text or milliseconds"),
    to: timeOption("--to <time>", "last interval (default now)"),
  },
  examples: ["market candles 1_2 --resolution 5 --limit 12"],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const resolution = resolutionOf(options.resolution);
    const { marketId, candles } = await withVenue(invocation, async (venue) => {
      const id = await marketIdOf(venue, args.market);
      const to = Math.floor((options.to ?? (await venueNowMs(venue))) / 1000);
      const intervalSec = resolutionSec[resolution];
      const from =
        options.from === undefined
          ? Math.max(0, to - (options.limit - 1) * intervalSec)
          : Math.floor(options.from / 1000);
      const query = { marketId: id, resolution, from, to };
      return { marketId: id, candles: await venue.ask(endpoints.candles, query) };
    });
    terminal.emit("market.candles", { marketId, resolution, candles });
    terminal.print(
      table(
        [
          { title: "open (UTC)" },
          { title: "open", align: "right" },
          { title: "high", align: "right" },
          { title: "low", align: "right" },
          { title: "close", align: "right" },
          { title: "volume", align: "right" },
          { title: "trades", align: "right" },
        ],
        candles.map((candle) => [
          timeText(candle.timestamp * 1000).slice(0, 16),
          String(candle.open),
          String(candle.high),
          String(candle.low),
          String(candle.close),
          String(candle.volume),
          String(candle.tradeCount),
        ]),
      ),
    );
    return exitCode.done;
  },
});

function resolutionOf(written: string): Resolution {
  if (Object.hasOwn(resolutionSec, written)) return written as Resolution;
  throw usageError(`--resolution must be one of ${Object.keys(resolutionSec).join(", ")}.`);
}
