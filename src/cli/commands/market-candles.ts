import { resolutionSec, type Resolution } from "../../domain/candle.ts";
import type { CallEndpoint } from "../../gateway/account-lists.ts";
import { listCandles } from "../../gateway/candle-list.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { argument, integer, pastTimeOption, textOr } from "../option.ts";
import { right, table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { marketIdOf, venueNowMs, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

/** Highest number of intervals that one command shows. */
const INTERVALS_MAX = 100_000;

export default defineCliCommand({
  summary: "show candles of a market",
  args: { market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)") },
  options: {
    ...venueOptions,
    resolution: textOr(
      "--resolution <code>",
      `one of ${Object.keys(resolutionSec).join(" ")}`,
      "1",
    ),
    limit: integer(
      "--limit <n>",
      "number of intervals before the last one, unless --since is given",
      { min: 1, max: INTERVALS_MAX, fallback: 60 },
    ),
    from: pastTimeOption("--since, --from <time>", "first interval: a time, or an age such as 2h"),
    to: pastTimeOption("--until, --to <time>", "last interval (default now)"),
  },
  examples: [
    "market candles 1_2 --resolution 5 --limit 12",
    "market candles ETH/USDT --resolution 60 --since 90d",
  ],
  async run(invocation) {
    const { args, options, terminal } = invocation;
    const resolution = resolutionOf(options.resolution);
    const { marketId, candles } = await withVenue(invocation, async (venue) => {
      const id = await marketIdOf(venue, args.market);
      const nowMs = await venueNowMs(venue);
      const toSec = Math.floor((options.to?.(nowMs) ?? nowMs) / 1000);
      const fromSec =
        options.from === undefined
          ? Math.max(0, toSec - (options.limit - 1) * resolutionSec[resolution])
          : Math.floor(options.from(nowMs) / 1000);
      if (fromSec > toSec) throw usageError("--since is after --until.");
      const range = { marketId: id, resolution, fromSec, toSec, venueNowMs: nowMs };
      const call: CallEndpoint = (endpoint, query) => venue.call(endpoint, query);
      return { marketId: id, candles: await listCandles(call, range) };
    });
    terminal.emit("market.candles", { marketId, resolution, candles });
    if (candles.length === 0) {
      terminal.print("No trades in that time.");
      return;
    }
    terminal.print(
      table(
        [
          "open (UTC)",
          right("open"),
          right("high"),
          right("low"),
          right("close"),
          right("volume"),
          right("trades"),
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
  },
});

function resolutionOf(written: string): Resolution {
  if (Object.hasOwn(resolutionSec, written)) return written as Resolution;
  throw usageError(`--resolution must be one of ${Object.keys(resolutionSec).join(", ")}.`);
}
