import { cpSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { unixMs, unixSec } from "../../src/domain/time.ts";
import { createDatabaseOpener } from "../../src/platform/database.ts";
import type { Database, DatabaseOpener } from "../../src/ports/database.ts";
import type { ServerResponse } from "../../src/ports/server.ts";
import type { ExchangeCommand } from "../../src/exchange/command.ts";
import type { Action } from "../../src/venue/data/action.ts";
import { exactJson, parseExactJson } from "../../src/venue/data/exact-json.ts";
import { VenueData, type VenueDataOptions } from "../../src/venue/data/venue-data.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import { venueSchema } from "../../src/venue/config.ts";
import type { RecordedMarket } from "../../src/venue/flow/recorded-market.ts";
import { startVenue } from "../../src/venue/start-venue.ts";
import { limit, market, NOW, testAddress, testHash, testMarket } from "../support/exchange.ts";
import { MemoryServer } from "../support/memory-server.ts";
import { silentLog, START_MS, testCrypto, TestTrader } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ETH_USDT = marketId("1", "2");

/** A copy of the folder as a killed process leaves it: only what was already written. */
function crashed(dataDir: string): string {
  const copy = temporaryFolder();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

interface KeptVenue {
  readonly exchange: Awaited<ReturnType<typeof startVenue>>["exchange"];
  readonly server: MemoryServer;
  readonly clock: VirtualClock;
  readonly alice: TestTrader;
  readonly bob: TestTrader;
  /** Sends a request, lets the commit happen, and returns the response. */
  post(path: string, body: unknown): Promise<ServerResponse>;
  get(path: string): Promise<unknown>;
  close(): Promise<void>;
}

async function keptVenue(
  dataDir: string,
  document: VenueDocument = {},
  options: {
    readonly startMs?: number;
    readonly recording?: readonly RecordedMarket[];
    readonly database?: DatabaseOpener;
  } = {},
): Promise<KeptVenue> {
  const crypto = await testCrypto();
  const clock = new VirtualClock(options.startMs ?? START_MS);
  const server = new MemoryServer();
  const [alice, bob] = [new TestTrader(crypto, 1, clock), new TestTrader(crypto, 2, clock)];
  const money = { "1": "100", "2": "250000" };
  const venue = await startVenue({
    config: venueSchema.parse({
      accounts: { [alice.address]: money, [bob.address]: money },
      dataDir,
      ...document,
    }),
    listen: { host: "127.0.0.1", port: 0 },
    ports: {
      server,
      clock,
      timer: clock,
      crypto,
      log: silentLog,
      database: options.database ?? createDatabaseOpener(),
    },
    ...(options.recording === undefined ? {} : { recording: options.recording }),
  });
  const ask = async (method: string, path: string, body = ""): Promise<ServerResponse> => {
    const response = server.request(method, path, body);
    clock.advance(0);
    return response;
  };
  return {
    exchange: venue.exchange,
    server,
    clock,
    alice,
    bob,
    post: (path, body) => ask("POST", path, JSON.stringify(body)),
    get: async (path) => JSON.parse((await ask("GET", path)).body),
    close: () => venue.close(),
  };
}

/** An exchange's complete state, with the rows of each part in any order. */
function state(exchange: KeptVenue["exchange"]): Record<string, string[]> {
  return Object.fromEntries(
    exchange
      .save()
      .map((part) => [
        part.name,
        Array.from({ length: part.size }, (_, at) => JSON.stringify(part.row(at))).sort(),
      ]),
  );
}

describe("after a kill", () => {
  test("orders, trades, balances, nonces, depth ids and blocks are restored, and the same bytes get the same result", async () => {
    const dataDir = temporaryFolder();
    const first = await keptVenue(dataDir);
    const sell = first.alice.limit("SELL", 1800, "2");
    expect((await first.post("/api/v1/order", sell)).status).toBe(200);
    first.clock.advance(500);
    const buy = first.bob.limit("BUY", 1800, "0.5");
    await first.post("/api/v1/order", buy);
    const told = state(first.exchange);
    const second = await keptVenue(crashed(dataDir), {}, { startMs: START_MS + 5000 });
    expect(state(second.exchange)).toEqual(told);
    expect(second.exchange.blockNumber).toBe(2);
    expect(await second.get("/api/v1/market/depth?marketId=1_2")).toMatchObject({
      result: { asks: [{ price: "1800", quantity: "1.5" }], lastUpdatedId: 2 },
    });
    expect(await second.get(`/api/v1/order/trade?address=${second.bob.address}`)).toMatchObject({
      result: [{ orderId: buy.txHash, quantity: "0.5" }],
    });
    expect(JSON.parse((await second.post("/api/v1/order", sell)).body)).toMatchObject({
      code: 200,
      result: sell.txHash,
    });
    expect(second.exchange.blockNumber).toBe(2);
    // Bob's nonce is used up; the clock of the second venue is within its window.
    const again = second.bob.sign({ type: "cancel-all", nonce: START_MS + 500 });
    expect((await second.post("/api/v1/order/cancel/all", again)).status).toBe(409);
    await first.close();
    await second.close();
  });

  test("clients learn of nothing that is not on disk yet", async () => {
    const dataDir = temporaryFolder();
    const venue = await keptVenue(dataDir);
    const socket = venue.server.connect();
    socket.send({ method: "subscribe", params: { channels: ["depth@1_2"] }, id: 1 });
    socket.drain();
    let responded = 0;
    const order = venue.alice.limit("BUY", 1700, "1");
    const first = venue.server
      .request("POST", "/api/v1/order", JSON.stringify({ tx: order.tx }))
      .then(() => (responded += 1));
    // A query that sees the order waits for the same commit.
    const second = venue.server
      .request("GET", `/api/v1/order/${order.txHash}`)
      .then(() => (responded += 1));
    await Promise.resolve();
    expect(venue.exchange.blockNumber).toBe(1);
    expect([responded, socket.frames.length]).toEqual([0, 0]);
    const before = await keptVenue(crashed(dataDir));
    expect(before.exchange.blockNumber).toBe(0);
    venue.clock.advance(0);
    await Promise.all([first, second]);
    expect([responded, socket.frames.length]).toEqual([2, 1]);
    const after = await keptVenue(crashed(dataDir));
    expect(after.exchange.blockNumber).toBe(1);
    for (const each of [venue, before, after]) await each.close();
  });

  test("a waiting withdrawal is executed after the restart, and its retry and block survive as well", async () => {
    const dataDir = temporaryFolder();
    const first = await keptVenue(dataDir);
    const request = { to: first.bob.address, tokenId: tokenId("1"), amount: fixed("2") };
    const response = first.exchange.execute(
      first.alice.address,
      { type: "withdraw", ...request },
      first.clock.nowMs(),
    );
    if (response.type === "refused") throw new Error(response.message);
    first.clock.advance(0);
    const faults = [{ kind: "withdrawal-l1" as const }];
    const second = await keptVenue(crashed(dataDir), { faults }, { startMs: START_MS + 10_000 });
    expect(second.exchange.nextWithdrawal).toMatchObject({ txHash: response.txHash });
    second.clock.advance(1);
    expect(second.exchange.nextWithdrawal).toBeUndefined();
    const blocks = second.exchange.blockNumber;
    const retry = { txHash: response.txHash };
    const mended = JSON.parse((await second.post("/api/v1/wallet/withdraw/retry", retry)).body);
    expect(second.exchange.blockNumber).toBe(blocks + 1);
    expect(
      await second.get(`/api/v1/wallet/balance?address=${second.alice.address}`),
    ).toMatchObject({
      result: { balances: [{ tokenId: "1", unlocked: "98" }, {}], blockNumber: blocks + 1 },
    });
    await second.close();
    await first.close();
    expect(mended).toMatchObject({ code: 200, result: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  });

  test("the state survives many restarts, some of them orderly", async () => {
    let dataDir = temporaryFolder();
    let startMs = START_MS;
    let told: ReturnType<typeof state> | undefined;
    for (let round = 0; round < 6; round += 1) {
      const venue = await keptVenue(dataDir, { faucet: { "1": "10" } }, { startMs });
      if (told !== undefined) expect(state(venue.exchange)).toEqual(told);
      await venue.get(`/api/v1/wallet/balance?address=${testAddress(round)}`);
      await venue.post("/api/v1/order", venue.alice.limit("BUY", 1700 + round, "1"));
      venue.clock.advance(20);
      await venue.post("/api/v1/order", venue.bob.limit("SELL", 1700, "0.5"));
      told = state(venue.exchange);
      startMs += 60_000;
      if (round % 2 === 0) dataDir = crashed(dataDir);
      await venue.close();
    }
  });
});

describe("flow over a restart", () => {
  test("synthetic orders do not accumulate, ids continue, money is conserved, and the price does not jump", async () => {
    let dataDir = temporaryFolder();
    let startMs = START_MS;
    let depthId = 0;
    let price = 0;
    const document = { flow: { synthetic: { prices: { "1_2": 1834.5 } } } };
    for (let round = 0; round < 4; round += 1) {
      const venue = await keptVenue(dataDir, document, { startMs });
      const { exchange } = venue;
      const begin = exchange.book(ETH_USDT, 1000);
      expect(begin.bids.length + begin.asks.length).toBeLessThanOrEqual(2 * 12);
      expect(begin.lastId).toBeGreaterThan(depthId);
      if (price > 0) expect(Math.abs((begin.bids[0]?.price ?? 0) / price - 1)).toBeLessThan(0.005);
      venue.clock.advance(20_000);
      depthId = exchange.book(ETH_USDT, 1).lastId;
      price = exchange.ticker(ETH_USDT, venue.clock.nowMs()).price;
      for (const { held, deposited } of exchange.ledger.audit().values())
        expect(held).toBe(deposited);
      // The same four accounts each time, topped up instead of funded again.
      const eth = exchange.ledger.audit().get(tokenId("1"))?.deposited ?? 0n;
      expect(eth).toBeLessThan(fixed("4000000001000"));
      startMs += 60_000;
      dataDir = crashed(dataDir);
      await venue.close();
    }
  });

  test("recorded liquidity is removed at the next start, and orders of accounts stay", async () => {
    const dataDir = temporaryFolder();
    const events = [
      {
        type: "book" as const,
        atMs: unixMs(0),
        snapshot: { bids: Float64Array.of(1000, 2), asks: Float64Array.of(1001, 3) },
      },
      {
        type: "depth" as const,
        atMs: unixMs(100),
        event: { bids: Float64Array.of(999, 4), asks: Float64Array.of() },
      },
      {
        type: "trade" as const,
        atMs: unixMs(200),
        trade: { price: 1000, quantity: 1, isBuyerMaker: true },
      },
    ];
    const recording = [{ marketId: ETH_USDT, events }];
    const document = { flow: { replay: "somewhere", speed: 1 } };
    const first = await keptVenue(dataDir, document, { recording });
    const own = first.alice.limit("BUY", 1000, "1");
    await first.post("/api/v1/order", own);
    first.clock.advance(150);
    const { lastId } = first.exchange.book(ETH_USDT, 1);
    const second = await keptVenue(crashed(dataDir));
    const book = second.exchange.book(ETH_USDT, 100);
    expect(book.bids.map((level) => [level.price, fixedText(level.quantity)])).toEqual([
      [1000, "1"],
    ]);
    expect([book.asks, book.lastId > lastId]).toEqual([[], true]);
    await second.close();
    // And it can play again in the same folder.
    const third = await keptVenue(crashed(dataDir), document, { recording });
    third.clock.advance(1000);
    expect(third.exchange.book(ETH_USDT, 100).asks.length).toBe(1);
    for (const { held, deposited } of third.exchange.ledger.audit().values())
      expect(held).toBe(deposited);
    for (const each of [first, third]) await each.close();
  });
});

describe("changed settings", () => {
  test("can have another fee, a new market and a new account, while past trades keep their fees", async () => {
    const dataDir = temporaryFolder();
    const first = await keptVenue(dataDir);
    await first.post("/api/v1/order", first.alice.limit("SELL", 1800, "2"));
    await first.post("/api/v1/order", first.bob.limit("BUY", 1800, "1"));
    const carol = `0x${"c".repeat(40)}`;
    const money = { "1": "100", "2": "250000" };
    const second = await keptVenue(
      crashed(dataDir),
      {
        accounts: {
          [first.alice.address]: money,
          [first.bob.address]: money,
          [carol]: { "1": "7" },
        },
        markets: [
          { base: "1", quote: "2", takerFee: "0.01" },
          { base: "2", quote: "1" },
        ],
      },
      { startMs: START_MS + 1000 },
    );
    await second.post("/api/v1/order", second.bob.limit("BUY", 1800, "1"));
    expect(await second.get(`/api/v1/order/trade?address=${second.bob.address}`)).toMatchObject({
      result: [{ fee: "0.01" }, { fee: "0.0005" }],
    });
    expect(await second.get(`/api/v1/wallet/balance?address=${carol}`)).toMatchObject({
      result: { balances: [{ tokenId: "1", unlocked: "7" }] },
    });
    await first.close();
    await second.close();
  });

  test("work after an orderly end, repeatedly", async () => {
    const dataDir = temporaryFolder();
    for (const [round, takerFee] of ["0.001", "0.002", "0.003", "0.003"].entries()) {
      const markets = [{ base: "1", quote: "2", takerFee }];
      const venue = await keptVenue(dataDir, { markets }, { startMs: START_MS + round * 1000 });
      await venue.post("/api/v1/order", venue.alice.limit("SELL", 1800, "1"));
      await venue.post("/api/v1/order", venue.bob.limit("BUY", 1800, "1"));
      const trades = venue.exchange.userTrades(venue.bob.address, {
        fromMs: 0,
        toMs: 9e15,
        limit: 9,
      });
      expect(trades.map(({ fee }) => fixedText(fee))).toEqual(
        ["0.001", "0.002", "0.003", "0.003"].slice(0, round + 1).reverse(),
      );
      await venue.close();
    }
  });

  test("fires the stop orders that waited for a block of their own when the venue was killed or stopped", async () => {
    const dataDir = temporaryFolder();
    const venue = await keptVenue(dataDir, { flow: "none" });
    const { exchange } = venue;
    const buyer = venue.bob.address;
    const place = (command: ExchangeCommand, account = buyer): void => {
      exchange.execute(account, command, unixMs(START_MS), {});
    };
    place(limit("SELL", "1000", "0.01"), venue.alice.address);
    place(market("BUY", "0.01"));
    place(limit("SELL", "1100", "20"), venue.alice.address);
    for (let at = 0; at < 600; at += 1) {
      place({ ...market("BUY", "0.01"), type: "stop", stopPrice: limit("BUY", "1050", "1").price });
    }
    place(market("BUY", "0.01"));
    expect(exchange.hasDue).toBe(true);
    // Responses wait for this commit.
    await venue.get("/api/v1/market");
    const killed = crashed(dataDir);
    await venue.close();
    for (const [folder, waiting] of [
      [killed, "after a kill"],
      [dataDir, "after a stop"],
    ] as const) {
      const next = await keptVenue(folder, { flow: "none" });
      next.clock.advance(1);
      const filter = { fromMs: 0, toMs: 9e15, limit: 9 };
      expect(next.exchange.openOrders(buyer, filter), waiting).toEqual([]);
      const told = state(next.exchange);
      await next.close();
      const again = await keptVenue(folder, { flow: "none" });
      expect(state(again.exchange), waiting).toEqual(told);
      await again.close();
    }
  });

  test("cannot drop a market", async () => {
    const dataDir = temporaryFolder();
    const first = await keptVenue(dataDir);
    await first.close();
    await expect(
      keptVenue(dataDir, { markets: [{ base: "2", quote: "1" }] }),
    ).rejects.toMatchObject({
      code: "DATA_DIR_MARKET",
    });
    await (await keptVenue(dataDir)).close();
  });
});

describe("failures", () => {
  test("a folder serves one venue at a time", async () => {
    const dataDir = temporaryFolder();
    const venue = await keptVenue(dataDir);
    await expect(keptVenue(dataDir)).rejects.toMatchObject({ code: "DATABASE_IN_USE" });
    await venue.close();
  });

  test("a failing disk gives 503 to waiting and later requests, and their effects are not published", async () => {
    const { open } = createDatabaseOpener();
    let isFull = false;
    const database: DatabaseOpener = {
      open(path): Database {
        const opened = open(path);
        return {
          ...opened,
          transaction: (work) => {
            if (isFull) throw new Error("the disk is full");
            opened.transaction(work);
          },
        };
      },
    };
    const dataDir = temporaryFolder();
    const venue = await keptVenue(dataDir, { flow: "synthetic" }, { database });
    const socket = venue.server.connect();
    socket.send({ method: "subscribe", params: { channels: ["depth@1_2"] }, id: 1 });
    socket.drain();
    isFull = true;
    expect((await venue.post("/api/v1/order", venue.alice.limit("BUY", 1, "9"))).status).toBe(503);
    expect((await venue.server.request("GET", "/time")).status).toBe(503);
    expect(socket.frames).toEqual([]);
    expect(socket.ended).toMatchObject({ code: 1001 });
    isFull = false;
    await venue.close();
    const next = await keptVenue(dataDir);
    expect(
      next.exchange.openOrders(next.alice.address, { fromMs: 0, toMs: 9e15, limit: 9 }),
    ).toEqual([]);
    await next.close();
  });

  test("actions that lead to another block than before are refused", async () => {
    const dataDir = temporaryFolder();
    const venue = await keptVenue(dataDir);
    await venue.post("/api/v1/order", venue.alice.limit("BUY", 1700, "1"));
    const copy = crashed(dataDir);
    await venue.close();
    const opened = createDatabaseOpener().open(`${copy}/venue.db`);
    opened.exec("UPDATE groups SET block = 7");
    opened.close();
    await expect(keptVenue(copy)).rejects.toMatchObject({ code: "DATA_DIR_DIVERGED" });
    const changed = createDatabaseOpener().open(`${copy}/venue.db`);
    changed.exec("UPDATE facts SET value = '99' WHERE name = 'format'");
    changed.close();
    await expect(keptVenue(copy)).rejects.toMatchObject({ code: "DATA_DIR_VERSION" });
  });
});

function dataIn(
  folder: string,
  clock: VirtualClock,
  config: Partial<VenueDataOptions["config"]>,
  actionsPerSnapshot?: number,
): VenueData {
  return VenueData.open({
    database: createDatabaseOpener().open(`${folder}/venue.db`),
    config: { markets: [testMarket()], ...config },
    clock,
    timer: clock,
    log: silentLog,
    publish: () => undefined,
    failed: () => expect.unreachable(),
    ...(actionsPerSnapshot === undefined ? {} : { actionsPerSnapshot }),
  });
}

describe("snapshots", () => {
  test("leave the accounts of the settings room that others cannot take", () => {
    const dataDir = temporaryFolder();
    const clock = new VirtualClock(NOW);
    const [own, stranger] = [testAddress(1), testAddress(2)];
    const money = new Map([[tokenId("2"), fixed("1000000")]]);
    const config = { accounts: new Map([[own, money]]), limits: { openOrdersOfAll: 1 } };
    const open = () => dataIn(dataDir, clock, config);
    const first = open();
    first.exchange.deposit(stranger, money, clock.nowMs());
    const place = ({ exchange }: VenueData, by: typeof own) =>
      exchange.execute(by, limit("BUY", "1800", "0.1"), clock.nowMs());
    expect(place(first, stranger)).toMatchObject({ rejected: undefined });
    expect(place(first, own)).toMatchObject({ rejected: undefined });
    first.close();
    const second = open();
    expect(place(second, stranger)).toMatchObject({
      rejected: "the venue has too many open orders",
    });
    expect(place(second, own)).toMatchObject({ rejected: undefined });
    second.close();
  });

  test("are written while the venue runs, and a kill at any moment loses nothing", async () => {
    const dataDir = temporaryFolder();
    const clock = new VirtualClock(NOW);
    const money = new Map([
      [tokenId("1"), fixed("1000")],
      [tokenId("2"), fixed("1000000")],
    ]);
    const config = { accounts: new Map([1, 2, 3].map((at) => [testAddress(at), money])) };
    const open = (path: string) => dataIn(path, clock, config, 700);
    const data = open(dataDir);
    for (let step = 1; step <= 3000; step += 1) {
      data.exchange.execute(
        testAddress(1 + (step % 3)),
        limit(step % 2 === 0 ? "BUY" : "SELL", String(1800 + (step % 7) - 3), "0.01"),
        clock.nowMs(),
        { txHash: testHash(step) },
      );
      clock.advance(1);
      if (step % 271 !== 0) continue;
      const copy = open(crashed(dataDir));
      expect(state(copy.exchange)).toEqual(state(data.exchange));
      copy.close();
    }
    clock.advance(1000);
    data.close();
    const opened = createDatabaseOpener().open(`${dataDir}/venue.db`);
    const count = (table: string): unknown =>
      [...opened.prepare(`SELECT COUNT(*) AS found FROM ${table}`).rows()][0]?.["found"];
    // An orderly end leaves one snapshot and no action to repeat.
    expect([count("images"), count("groups")]).toEqual([1, 0]);
    opened.close();
  });
});

test("actions survive encoding and decoding", () => {
  const atMs = unixMs(NOW);
  const [account, txHash] = [testAddress(1), testHash(1)];
  const amounts = new Map([[tokenId("1"), fixed("0.000000000000000001")]]);
  const actions: Action[] = [
    { type: "deposit", atMs, account, amounts },
    { type: "execute", atMs, account, command: { type: "cancel", orderId: txHash }, options: {} },
    {
      type: "execute",
      atMs,
      account,
      command: { type: "modify", orderId: txHash, price: fixed("1"), quantity: undefined },
      options: { txHash },
    },
    {
      type: "flow-depth",
      atMs,
      marketId: ETH_USDT,
      bids: Float64Array.of(1, 2.5),
      asks: Float64Array.of(),
    },
    { type: "settle-withdrawal", atMs, txHash, outcome: "failed" },
    {
      type: "submit",
      atMs,
      transaction: {
        signer: account,
        txHash,
        nonce: 1,
        owner: account,
        sessionMaySign: true,
        command: {
          type: "session",
          action: "create",
          sessionWallet: testAddress(2),
          expirySec: unixSec(1),
          nonce: 1,
          name: '"\n',
          l1signer: account,
        },
      },
    },
  ];
  for (const action of actions) {
    const line = exactJson(action);
    expect(line).not.toContain("\n");
    expect(parseExactJson(line)).toEqual(action);
  }
});
