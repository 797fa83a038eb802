import { afterEach, describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { MarketId, OrderId } from "../../src/domain/ids.ts";
import { defaultStreamTiming, type StreamTiming } from "../../src/gateway/stream-timing.ts";
import { Streams } from "../../src/gateway/streams.ts";
import type { Input } from "../../src/kernel/input.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createSocketConnector } from "../../src/platform/socket.ts";
import { systemTimer } from "../../src/platform/timer.ts";
import { type StreamLimits } from "../../src/spec/limits.ts";
import { type RunningVenue } from "../../src/venue/start-venue.ts";
import { limit } from "../support/exchange.ts";
import { silentLog, testCrypto, TestTrader } from "../support/venue.ts";
import { startRealVenue } from "../support/real-venue.ts";

/** Runs the streams against the paper venue over real sockets on loopback. */

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function openVenue(
  streamLimits: Partial<StreamLimits>,
): Promise<{ venue: RunningVenue; trader: TestTrader }> {
  const trader = new TestTrader(await testCrypto(), 1, systemClock);
  const venue = await startRealVenue(
    { accounts: { [trader.address]: { "1": "1000000", "2": "1000000000" } } },
    { streamLimits },
  );
  closers.push(() => venue.close());
  return { venue, trader };
}

async function openStreams(url: string, timing: Partial<StreamTiming>) {
  const crypto = await testCrypto();
  const inputs: Input[] = [];
  const waiting: (() => void)[] = [];
  const streams = new Streams({
    connector: createSocketConnector(),
    url,
    clock: systemClock,
    timer: systemTimer,
    log: silentLog,
    prng: new Prng(1),
    keccak256: (bytes) => crypto.keccak256(bytes),
    markets: ["1_2" as MarketId],
    owner: undefined,
    timing: { ...defaultStreamTiming, backoffMs: 50, backoffMaxMs: 100, ...timing },
    push(input) {
      inputs.push(input);
      for (const look of waiting) look();
    },
  });
  closers.push(() => streams.stop());
  streams.start();
  const until = (isThere: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        waiting.splice(waiting.indexOf(look), 1);
        resolve();
      };
      waiting.push(look);
      look();
    });
  const states = (): string[] =>
    inputs.flatMap((input) =>
      input.type === "stream" && input.state !== "alive" ? [input.state] : [],
    );
  const depthIds = (): number[] =>
    inputs.flatMap((input) =>
      input.type === "depth" ? [input.event.firstId, input.event.finalId] : [],
    );
  return { streams, inputs, states, depthIds, until };
}

let orders = 0;
/** Puts one order in the book, which is one depth event. */
function placeOne({ exchange }: RunningVenue, { address }: TestTrader): void {
  orders += 1;
  const hash = `0x${orders.toString(16).padStart(64, "0")}` as OrderId;
  const price = String(1000 + (orders % 5000) / 10);
  exchange.execute(address, limit("BUY", price, "0.01"), systemClock.nowMs(), { txHash: hash });
}

describe("streams over real sockets", () => {
  it("outlive the venue's connection lifetime without losing an event", async () => {
    const { venue, trader } = await openVenue({ lifetimeMs: 1_500 });
    const { streams, inputs, states, depthIds, until } = await openStreams(venue.ws, {
      lifetimeMs: 400,
      overlapMs: 200,
    });
    await until(() => states().length === 1);
    const busy = setInterval(() => placeOne(venue, trader), 2);
    closers.push(() => clearInterval(busy));
    await until(
      () => streams.handovers >= 4 && depthIds().length > 200 && inputs.at(-1)?.type === "depth",
    );
    expect(states()).toEqual(["opened"]);
    const ids = depthIds();
    for (let at = 2; at < ids.length; at += 2) expect(ids[at]).toBe((ids[at - 1] ?? 0) + 1);
  });
});
