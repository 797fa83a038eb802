import { TouchlineError } from "../../base/error.ts";
import type { PayloadOf } from "../../spec/channel.ts";
import type { Channels } from "../../spec/channels.ts";
import { decodeServerFrame, encodeStreamRequest, type StreamPush } from "../../spec/stream.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { argument, durationOption } from "../option.ts";
import type { Terminal } from "../terminal.ts";
import { timeText } from "../time-text.ts";
import { marketIdOf, withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export const marketWatch = defineCommand({
  words: ["market", "watch"],
  summary: "trades and the touch of a market as they change",
  args: { market: argument("<market>", "market id (1_2) or ticker (ETH/USDT)") },
  options: {
    ...venueOptions,
    duration: durationOption("--duration <time>", "end after this time, like 5m"),
  },
  examples: ["market watch 1_2", "market watch ETH/USDT --duration 1m --json"],
  async run(invocation) {
    const { args, options, terminal, interrupt } = invocation;
    const { marketId, ws } = await withVenue(invocation, async (venue) => ({
      marketId: await marketIdOf(venue, args.market),
      ws: venue.address.ws,
    }));
    const { createSocketConnector } = await import("../../platform/socket.ts");
    let lastTouch = "";
    let failure: TouchlineError | undefined;
    const stopped = (why: string): void => {
      failure ??= new TouchlineError("STREAM_CLOSED", `The stream ${ws} closed: ${why}.`);
      interrupt.request();
    };
    const socket = createSocketConnector().connect(ws, {
      opened() {
        const channels = [`trade@${marketId}`, `depthSnapshot@${marketId}`];
        socket.send(encodeStreamRequest({ method: "subscribe", params: { channels }, id: 1 }));
      },
      frame(data) {
        const frame = decodeServerFrame(new TextDecoder().decode(data));
        if (!frame.ok) return;
        if (frame.value.type === "push") lastTouch = show(frame.value.push, lastTouch, terminal);
        else if ("error" in frame.value.reply) stopped(frame.value.reply.error.message);
      },
      pong: () => undefined,
      closed: (code, reason) => {
        if (!interrupt.stop.aborted) stopped(reason === "" ? `code ${code}` : reason);
      },
    });
    await interrupt.ended(options.duration);
    socket.terminate();
    if (failure !== undefined) throw failure;
    return exitCode.done;
  },
});

function show(push: StreamPush, lastTouch: string, terminal: Terminal): string {
  switch (push.kind) {
    case "trade":
      showTrade(push.payload, terminal);
      return lastTouch;
    case "depthSnapshot":
      return showTouch(push.payload, lastTouch, terminal);
    default:
      return lastTouch;
  }
}

function showTrade(trade: PayloadOf<Channels["trade"]>, terminal: Terminal): void {
  terminal.emit("market.watch", { type: "trade", ...trade });
  const side = trade.isBuyerMaker ? terminal.red("sell") : terminal.green("buy ");
  terminal.print(`${timeText(trade.createdAt)}  ${side}  ${trade.price}  ${trade.quantity}`);
}

/** Only when it has changed. */
function showTouch(
  book: PayloadOf<Channels["depthSnapshot"]>,
  lastTouch: string,
  terminal: Terminal,
): string {
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
  const left = terminal.green(bid === undefined ? "no bid" : `${bid[1]} @ ${bid[0]}`);
  const right = terminal.red(ask === undefined ? "no ask" : `${ask[0]} @ ${ask[1]}`);
  terminal.print(terminal.dim(`${timeText(time)}  `) + `${left}  ${right}`);
  return touch;
}
