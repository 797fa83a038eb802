import type { PayloadOf } from "../../spec/channel.ts";
import type { Channels } from "../../spec/channels.ts";
import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { durationOption, optionalArgument, repeated } from "../option.ts";
import type { Terminal } from "../terminal.ts";
import { timeText } from "../time-text.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";
import { type WatchedChannel, watch } from "../watch.ts";

/** What can be watched: the public channels (§6.3), and the touch, which is the top of `depthSnapshot` whenever it changes. */
const subjects = ["trade", "touch", "depth", "depthSnapshot", "ticker"] as const;
type Subject = (typeof subjects)[number];

export default defineCliCommand({
  summary: "follow a market: trades, best prices, depth, tickers",
  details: "Reconnects after a lost connection and reports it. Ends with --duration or Ctrl-C.",
  args: {
    market: optionalArgument(
      "[market]",
      "market id (1_2) or ticker (ETH/USDT); without it, the tickers of all markets",
    ),
  },
  options: {
    ...venueOptions,
    channel: repeated(
      "--channel <name>",
      `one of ${subjects.join(", ")}; may be repeated (default trade and touch)`,
    ),
    duration: durationOption("--duration <time>", "end after this time, such as 5m"),
  },
  examples: [
    "market watch 1_2",
    "market watch ETH/USDT --duration 1m --json",
    "market watch 1_2 --channel depth --channel trade",
    "market watch --channel ticker",
  ],
  async run(invocation) {
    const { args, options, terminal, interrupt } = invocation;
    const wanted = subjectsOf(options.channel, args.market);
    await withVenue(invocation, async (venue) => {
      const marketId = args.market === undefined ? undefined : await marketIdOf(venue, args.market);
      // Distinguishes a venue that is down from one without streams.
      await venue.call(endpoints.time, {});
      const channels = wanted.map((subject) => watchedOf(subject, marketId ?? "", terminal));
      const durationMs = options.duration;
      await watch({ venue, terminal, interrupt, event: "market.watch", channels, durationMs });
    });
  },
});

function subjectsOf(written: readonly string[], market: string | undefined): readonly Subject[] {
  const usual: readonly Subject[] = market === undefined ? ["ticker"] : ["trade", "touch"];
  const wanted = written.map((name) => {
    const found = subjects.find((subject) => subject === name);
    if (found === undefined) throw usageError(`--channel must be one of ${subjects.join(", ")}.`);
    return found;
  });
  const chosen = wanted.length === 0 ? usual : [...new Set(wanted)];
  if (market === undefined && chosen.some((subject) => subject !== "ticker")) {
    throw usageError("The market is missing.", "For example: touchline market watch 1_2");
  }
  // One subscription to depthSnapshot serves both.
  return chosen.includes("depthSnapshot") ? chosen.filter((name) => name !== "touch") : chosen;
}

function watchedOf(subject: Subject, marketId: string, terminal: Terminal): WatchedChannel {
  switch (subject) {
    case "trade":
      return { kind: "trade", parameter: marketId, show: (trade) => showTrade(trade, terminal) };
    case "touch": {
      let last = "";
      return {
        kind: "depthSnapshot",
        parameter: marketId,
        show(book) {
          last = showTouch(book, last, terminal);
        },
      };
    }
    case "depth":
      return { kind: "depth", parameter: marketId, show: (depth) => showDepth(depth, terminal) };
    case "depthSnapshot":
      return {
        kind: "depthSnapshot",
        parameter: marketId,
        show: (book) => showSnapshot(book, terminal),
      };
    case "ticker":
      return {
        kind: "ticker",
        parameter: "",
        show: (tickers) => showTickers(tickers, marketId, terminal),
      };
  }
}

function showTrade(trade: PayloadOf<Channels["trade"]>, terminal: Terminal): void {
  terminal.emit("market.watch", { type: "trade", ...trade });
  const side = trade.isBuyerMaker ? terminal.red("sell") : terminal.green("buy ");
  terminal.print(`${timeText(trade.createdAt)}  ${side}  ${trade.price}  ${trade.quantity}`);
}

type Snapshot = PayloadOf<Channels["depthSnapshot"]>;

/** Prints the touch if it has changed; returns the touch shown last. */
function showTouch(book: Snapshot, lastTouch: string, terminal: Terminal): string {
  const [bid] = book.bids;
  const [ask] = book.asks;
  const touch = JSON.stringify([bid, ask]);
  if (touch === lastTouch) return lastTouch;
  const { marketId, lastUpdateId, time } = book;
  terminal.emit("market.watch", {
    type: "touch",
    marketId,
    lastUpdateId,
    time,
    bid: bid ?? null,
    ask: ask ?? null,
  });
  terminal.print(terminal.dim(`${timeText(time)}  `) + touchText(book, terminal));
  return touch;
}

function touchText({ bids: [bid], asks: [ask] }: Snapshot, terminal: Terminal): string {
  const left = terminal.green(bid === undefined ? "no bid" : `${bid[1]} @ ${bid[0]}`);
  const right = terminal.red(ask === undefined ? "no ask" : `${ask[0]} @ ${ask[1]}`);
  return `${left}  ${right}`;
}

function showSnapshot(book: Snapshot, terminal: Terminal): void {
  terminal.emit("market.watch", { type: "depthSnapshot", ...book });
  const sizes = `${book.bids.length} bids, ${book.asks.length} asks`;
  terminal.print(
    `${terminal.dim(timeText(book.time))}  update ${book.lastUpdateId}  ${touchText(book, terminal)}  ${sizes}`,
  );
}

function showDepth(depth: PayloadOf<Channels["depth"]>, terminal: Terminal): void {
  terminal.emit("market.watch", { type: "depth", ...depth });
  const level = ([price, quantity]: readonly [string, string]): string =>
    Number(quantity) === 0 ? `${price} removed` : `${quantity} @ ${price}`;
  const ids =
    depth.firstId === depth.finalId ? `${depth.finalId}` : `${depth.firstId}-${depth.finalId}`;
  const changes = [
    ...depth.bids.map((each) => terminal.green(`bid ${level(each)}`)),
    ...depth.asks.map((each) => terminal.red(`ask ${level(each)}`)),
  ];
  terminal.print(`${terminal.dim(timeText(depth.time))}  ${ids}  ${changes.join(", ")}`);
}

/** `marketId`: only this market's ticker; empty for all. */
function showTickers(
  tickers: PayloadOf<Channels["ticker"]>,
  marketId: string,
  terminal: Terminal,
): void {
  const shown = tickers.filter((each) => marketId === "" || each.marketId === marketId);
  terminal.emit("market.watch", { type: "ticker", tickers: shown });
  for (const { marketId: id, price, open24h, high24h, low24h, volume24h } of shown) {
    terminal.print(
      `${id}  ${price}  open ${open24h}  high ${high24h}  low ${low24h}  volume ${volume24h}`,
    );
  }
}
