import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sourceSteps } from "../../src/backtest/source-inputs.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { comparedRun } from "../../src/parity/compared-run.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import type { ServerSocket } from "../../src/ports/server.ts";
import { recordedSourceInfos } from "../../src/recordings/source-file.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { startRecord } from "../../src/recorder/record.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import { verifyToolsOf } from "../../src/runtime/verify-tools.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { noQuotes, setQuotes, type StrategyDefinition } from "../../src/strategy/contract.ts";
import { liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

/** A bot of the code of `run` whose prices come from a server of the same virtual network. */

const aged = { maxAgeMs: 3_000, whenOld: "stop" } as const;

const sources: NonNullable<LiveSettings["sources"]> = [
  {
    name: "btc",
    origin: { type: "input" },
    ...aged,
    feed: {
      type: "json",
      url: "ws://prices:80/ws",
      everyMs: 0,
      send: undefined,
      paths: { bid: "b", ask: "a", time: "t" },
    },
  },
  {
    name: "rate",
    origin: { type: "input" },
    ...aged,
    feed: {
      type: "json",
      url: "http://prices:80/rate",
      everyMs: 500,
      send: undefined,
      paths: { bid: "rate", ask: "rate", time: undefined },
    },
  },
  { name: "local", origin: { type: "market", marketId: "3_2" as MarketId }, ...aged },
  { name: "eth", origin: { type: "formula", formula: "btc * rate" }, ...aged },
];

/** Prices around 2000 for ETH, from a BTC of about 100,000 and a rate of 0.02. */
async function priceServer(world: World) {
  const sockets = new Set<ServerSocket>();
  await world.settle(
    world.network.servers.listen({
      host: "prices",
      port: 80,
      socketPath: "/ws",
      maxBodyBytes: 100,
      maxFrameBytes: 1000,
      respond: () => ({ status: 200, body: '{"rate":"0.02"}' }),
      connected(socket) {
        sockets.add(socket);
        return {
          frame: () => undefined,
          pong: () => undefined,
          closed: () => sockets.delete(socket),
        };
      },
    }),
  );
  let count = 0;
  const server = { isSilent: false };
  const send = (): void => {
    count += 1;
    const bid = 100_000 + 50 * (count % 7);
    const text = JSON.stringify({ b: String(bid), a: bid + 10, t: world.clock.nowMs() - 20 });
    if (!server.isSilent) for (const socket of sockets) socket.send(text);
    world.clock.after(200, send);
  };
  send();
  return server;
}

/** Quotes around the formula, and notes every price of it that it sees. */
function following(seen: string[]): StrategyDefinition {
  return {
    name: "following",
    params: z.unknown(),
    init: () => ({}),
    decide({ view }) {
      const { eth } = view.sources;
      if (eth === undefined) return noQuotes("no price");
      const text = `${eth.bid} ${eth.ask}`;
      if (seen.at(-1) !== text) seen.push(text);
      return setQuotes({
        bids: [{ price: eth.bid * 0.99, size: "0.5" }],
        asks: [{ price: eth.ask * 1.01, size: "0.5" }],
        tolerance: 0.01,
      });
    },
  };
}

const world = (): Promise<World> =>
  liveWorld(5, { moreMarkets: ["3"], prices: { "1_2": 2000, "3_2": 100_000 } });

async function ran(at: World, seconds: number, seen: string[] = []) {
  const server = await priceServer(at);
  const strategies = strategiesOf([{ name: "maker", definition: following(seen) }]);
  const bot = await at.start({ strategies, sources });
  const reasons: (string | undefined)[] = [];
  bot.observers.on(({ notes }) => {
    for (const note of notes) if (note.type === "quoteReason") reasons.push(note.reason);
  });
  await at.clock.runFor(seconds * 1_000);
  return { bot, server, reasons, seen, strategies };
}

function newestRun({ store }: World) {
  const run = listRuns(store, "journal").at(-1);
  if (run === undefined) throw new Error("no run in the journal");
  return { header: run.header, entries: [...entriesOfRun(store, run)] };
}

describe("a live bot with sources", () => {
  it("quotes by a formula of a WebSocket and an HTTP price, and re-runs the same from its journal", async () => {
    const at = await world();
    const { bot, seen, strategies } = await ran(at, 30);
    expect(at.openOrders(bot, "1_2")).toHaveLength(2);
    expect(at.openOrders(bot, "3_2")).toHaveLength(0);
    expect(seen.length).toBeGreaterThan(100);
    expect(bot.sources).toMatchObject([
      { name: "btc", problem: null, lagMs: 20 },
      { name: "rate", bid: 0.02, ask: 0.02, lagMs: null },
      { name: "local", problem: null },
      { name: "eth", problem: null },
    ]);
    expect(await stopped(at, bot)).toMatchObject({ ok: true });
    const { header, entries } = newestRun(at);
    const tools = verifyToolsOf(header, at.crypto, strategies);
    expect(verifyRun(header, entries, tools)).toMatchObject({ identical: true });
  });

  it("pulls its quotes while a source is silent, and quotes again when it is back", async () => {
    const at = await world();
    const { bot, server, reasons } = await ran(at, 10);
    server.isSilent = true;
    await at.clock.runFor(5_000);
    expect(reasons.at(-1)).toBe("source btc is older than 3s");
    expect(at.openOrders(bot)).toHaveLength(0);
    server.isSilent = false;
    await at.clock.runFor(5_000);
    expect(at.openOrders(bot)).toHaveLength(2);
    await stopped(at, bot);
  });

  it("replays its run with the prices that it had received", async () => {
    const at = await world();
    const { bot, seen } = await ran(at, 30);
    await stopped(at, bot);
    const again: string[] = [];
    const { header, entries } = newestRun(at);
    runAll(
      comparedRun({
        header,
        entries,
        strategies: strategiesOf([{ name: "maker", definition: following(again) }]),
        decisions: "strategy",
        fills: [defaultFills],
        latencies: ["0ms"],
        windowMs: 500,
        keccak256: (bytes) => at.crypto.keccak256(bytes),
      }),
    );
    expect(again.length).toBeGreaterThan(100);
    expect(seen.join(", ")).toContain(again.slice(-100).join(", "));
  });
});

describe("record", () => {
  it("records the sources beside the markets, for replays to play", async () => {
    const at = await world();
    await priceServer(at);
    const io = { store: at.store, compression: nodeCompression };
    const running = await at.settle(
      startRecord(
        { venue: at.venue, markets: ["1_2" as MarketId], out: "rec", sources },
        { ...at.ports, io, seed: 1 },
        { onMark: () => undefined, failed: expect.unreachable },
      ),
    );
    await at.clock.runFor(10_000);
    expect(running.stop()).toBe(true);
    expect(running.counts.sourceValues).toBeGreaterThan(60);
    const infos = recordedSourceInfos(io, "rec");
    expect(infos).toMatchObject([
      { name: "rate", bad: 0 },
      { name: "btc", bad: 0 },
    ]);
    const files = ["btc", "rate"].map((name) => ({ name, folder: "rec", source: name }));
    const steps = [...sourceSteps(io, files)];
    expect(steps).toHaveLength(running.counts.sourceValues);
    const btc = steps.filter(({ input }) => input.name === "btc");
    expect(btc[0]?.input).toMatchObject({ type: "source", name: "btc" });
    expect((btc[0]?.atMs ?? 0) - (btc[0]?.input.timeMs ?? 0)).toBe(20);
  });
});
