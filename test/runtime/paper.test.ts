import { beforeEach, describe, expect, test } from "vitest";
import { LevelBook } from "../../src/book/level-book.ts";
import { Prng } from "../../src/base/prng.ts";
import { toHex } from "../../src/base/hex.ts";
import { flat } from "../../src/simulated/block-inputs.ts";
import { NOBODY } from "../../src/simulated/simulated-account.ts";
import { marketId } from "../../src/domain/ids.ts";
import { VenueClient } from "../../src/gateway/venue-client.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startPaper } from "../../src/runtime/paper.ts";
import { PaperFeed } from "../../src/runtime/paper-feed.ts";
import { CommandEncoder } from "../../src/spec/sign-command.ts";
import { silentLog } from "../support/venue.ts";
import { faultyWorld } from "./faulty-channels.ts";
import { type World, liveWorld } from "./live-world.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";

const market = marketId("1", "2");

/** The requests and frames that a bot sends. */
interface Outgoing {
  readonly requests: string[];
  readonly frames: string[];
}

const unsetLimits = { limits: ["maxPosition", "maxOrderNotional"], dayLoss: ["maker"] } as const;

async function onPaper(at: World, balances?: Record<string, string>) {
  const outgoing: Outgoing = { requests: [], frames: [] };
  const notes: Note[] = [];
  const { strategies, ...settings } = at.settings;
  const [strategy] = strategies;
  if (strategy === undefined) throw new Error("one strategy");
  const params = strategy.definition.params.parse({
    bidSpread: "0.01%",
    askSpread: "0.01%",
    size: "0.5",
    refresh: "1s",
  });
  const bot: Bot = await at.settle(
    startPaper(
      {
        ...settings,
        strategies: [{ ...strategy, params }],
        owner: undefined,
        unsetLimits,
        balances,
        models: {
          fills: defaultFills,
          latency: constantDelays({ entry: 20, response: 20, feed: 20 }),
          fees: marketFees,
        },
      },
      {
        ...at.ports,
        http: {
          request(request) {
            outgoing.requests.push(`${request.method} ${new URL(request.url).pathname}`);
            return at.network.http.request(request);
          },
          close: () => at.network.http.close(),
        },
        connector: {
          connect(url, handlers) {
            const socket = at.network.connector.connect(url, handlers);
            return {
              ...socket,
              send(text) {
                outgoing.frames.push(text);
                socket.send(text);
              },
              ping: () => socket.ping(),
              close: () => socket.close(),
              terminate: () => socket.terminate(),
            };
          },
        },
      },
    ),
  );
  bot.observers.on((entry) => notes.push(...entry.notes));
  const stop = async () => {
    bot.stop();
    return at.settle(bot.done);
  };
  return { bot, outgoing, notes, stop };
}

describe("a bot on paper", () => {
  let at: World;
  beforeEach(async () => {
    at = await liveWorld(5);
  });

  test("derives limits from balances that are set, and none from those of its default", async () => {
    const codes = async (balances?: Record<string, string>) => {
      const { notes, stop } = await onPaper(at, balances);
      await at.clock.runFor(5_000);
      const { summary } = await stop();
      const limits = notes.filter((note) => note.type === "limit");
      return [limits.length, summary.derivedLimits?.length ?? 0, summary.quotesPlaced > 0];
    };
    expect(await codes({ "1": "20", "2": "50000" })).toEqual([3, 3, true]);
    expect(await codes()).toEqual([0, 0, true]);
  });

  test("quotes and is filled for five minutes, and sends the venue no command, account or key", async () => {
    const { bot, outgoing, stop } = await onPaper(at, { "1": "20", "2": "50000" });
    const encoder = new CommandEncoder({
      owner: NOBODY,
      chainId: 1001,
      keccak256: (bytes) => at.crypto.keccak256(bytes),
    });
    const named: [id: string, expected: string][] = [];
    const sent = new Map<number, string>();
    bot.observers.on(({ batch, effects }) => {
      for (const input of batch.inputs) {
        if (input.type === "signed") named.push([input.txHash, sent.get(input.intent) ?? ""]);
      }
      for (const effect of effects) {
        if (effect.type !== "place" && effect.type !== "cancel") continue;
        sent.set(effect.intent, toHex(encoder.unsignedHash(effect)));
      }
    });
    await at.clock.runFor(300_000);
    const end = await stop();
    expect(end).toMatchObject({ ok: true, inQuestion: [] });
    expect(end.summary).toMatchObject({
      ordersLeft: 0,
      foreignOrders: 0,
      unknownOutcomes: 0,
      bookResyncs: 0,
      tickToOrderP50Us: null,
      signer: "none",
    });
    expect(end.summary.makerFills).toBeGreaterThan(10);
    expect(end.summary.uptimeBid).toBeGreaterThan(0.5);
    expect(end.summary.durationMs).toBeGreaterThan(300_000);
    expect(named.length).toBeGreaterThan(100);
    for (const [id, expected] of named) expect(id).toBe(expected);
    expect(new Set(outgoing.requests)).toEqual(
      new Set(["GET /api/v1/market", "GET /api/v1/market/depth"]),
    );
    const channels = outgoing.frames.flatMap(
      (frame) => JSON.parse(frame).params.channels as string[],
    );
    expect(channels.length).toBeGreaterThan(0);
    for (const channel of channels) expect(channel).toMatch(/^(depth|trade|depthSnapshot)@1_2/);
    expect(at.venue.exchange.balances(bot.owner)).toEqual([]);
  });

  test("neither quotes nor is filled after a lost connection until the books are in sync again", async () => {
    const { notes, bot, stop } = await onPaper(at);
    await at.clock.runFor(60_000);
    at.network.faults.refuse = true;
    at.network.cutSockets();
    await at.clock.runFor(1_000);
    const before = notes.length;
    await at.clock.runFor(30_000);
    const blind = notes.slice(before);
    expect(blind.filter((note) => note.type === "fill")).toEqual([]);
    expect(blind.some((note) => note.type === "bookState" && note.state === "live")).toBe(false);
    at.network.faults.refuse = false;
    await at.clock.runFor(90_000);
    expect(bot.summary).toBeDefined();
    const after = notes.slice(before + blind.length);
    expect(after.some((note) => note.type === "bookState" && note.state === "live")).toBe(true);
    expect(after.some((note) => note.type === "fill")).toBe(true);
    const end = await stop();
    expect(end).toMatchObject({ ok: true, summary: { ordersLeft: 0, bookResyncs: 1 } });
  });

  test("starts with ample default balances when the config has none", async () => {
    const { stop } = await onPaper(at);
    await at.clock.runFor(5_000);
    expect(await stop()).toMatchObject({ ok: true, summary: { ordersRejected: 0 } });
  });
});

test("the feed stays open on books over REST while the depth channel is behind, and brings the channel back", async () => {
  const at = await faultyWorld(9, { flow: "synthetic" });
  const states: string[] = [];
  const feed = new PaperFeed({
    client: new VenueClient({ http: at.network.http, rest: at.venue.rest }),
    connector: at.ports.connector,
    url: at.venue.ws,
    clock: at.clock,
    timer: at.clock,
    log: silentLog,
    prng: new Prng(1),
    keccak256: (bytes) => at.crypto.keccak256(bytes),
    markets: [market],
    events: {
      market: () => undefined,
      opened: () => states.push("opened"),
      closed: (reason) => states.push(reason),
      alive: () => undefined,
    },
  });
  feed.start();
  await at.clock.runFor(120_000);
  expect(states).toEqual(["opened"]);
  at.fault = (channel, subscription) =>
    channel.startsWith("depth@") && subscription <= 2 ? Number.POSITIVE_INFINITY : 0;
  await at.clock.runFor(64_000);
  expect(states.slice(1)).toEqual([
    "subscribed anew",
    "opened",
    "the depth channel is behind: a trade went through the book's touch",
    "opened",
  ]);
  expect(at.requests.filter((request) => request.endsWith(" depth@1_2"))).toEqual([
    "subscribe depth@1_2",
    "unsubscribe depth@1_2",
    "subscribe depth@1_2",
    "subscribe depth@1_2",
  ]);
  feed.stop();
});

test("the feed's events rebuild the venue's book, also after lost connections", async () => {
  const at = await liveWorld(9);
  const book = new LevelBook();
  const states: string[] = [];
  let lastId = 0;
  const feed = new PaperFeed({
    client: new VenueClient({ http: at.network.http, rest: at.venue.rest }),
    connector: at.network.connector,
    url: at.venue.ws,
    clock: at.clock,
    timer: at.clock,
    log: silentLog,
    prng: new Prng(1),
    keccak256: (bytes) => at.crypto.keccak256(bytes),
    markets: [market],
    events: {
      market(_, event) {
        if (event.type === "trade") return;
        if (event.type === "book") book.load(event.snapshot);
        else book.apply(event.event);
        lastId = event.type === "book" ? event.snapshot.lastId : event.event.finalId;
      },
      opened: () => states.push("opened"),
      closed: () => states.push("closed"),
      alive: () => undefined,
    },
  });
  feed.start();
  for (let round = 0; round < 4; round += 1) {
    if (round > 0) at.network.cutSockets();
    await at.clock.runFor(20_000);
    // Waits until no event is in transit.
    await at.clock.runUntil(() => at.venue.exchange.book(market, 1).lastId === lastId, 5_000);
    const { bids, asks } = at.venue.exchange.book(market, 5000);
    expect(book.levels()).toEqual({ bids: flat(bids), asks: flat(asks) });
  }
  feed.stop();
  expect(states).toEqual(["opened", "closed", "opened", "closed", "opened", "closed", "opened"]);
});
