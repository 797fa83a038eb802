import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DashboardFold } from "../../src/dashboard/dashboard-fold.ts";
import { configuredRows } from "../../src/dashboard/limit-rows.ts";
import {
  type DashboardOptions,
  startDashboard,
  type RunningDashboard,
} from "../../src/dashboard/server.ts";
import { PageServer } from "../../src/dashboard/page-server.ts";
import { PageState } from "../../src/dashboard/page-state.ts";
import { type Json, merged, withoutNulls } from "../../src/dashboard/merge-patch.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId, type OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market } from "../kernel/harness.ts";
import { OrderNotes, standing } from "../orders/order-notes.ts";
import { about, pageSettings } from "./page-settings.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { createConnection } from "node:net";

const pageOptions = {
  ...pageSettings(),
  webDir: "",
  viewers: (): void => undefined,
  warn: (): void => undefined,
};

const newState = () => new PageState({ ...about, version: "0.0.0" });

const driver = {
  latency: { tickToOrderP50Us: null, tickToOrderP99Us: null },
  calls: [],
  sources: [],
  missed: 0,
  nets: [],
  uptimes: new Map([["maker", { bid: 0.9, ask: 0.8, obligation: 0.5 }]]),
  standstills: new Map(),
  described: new Map([["maker", { hitRate: 0.4 }]]),
};

/** A kernel that the test drives by hand, with a fold that observes every step. */
function observedBot() {
  const fold = new DashboardFold([{ strategy: "maker", market }], 20);
  const bot = new Harness({
    decide: (view) =>
      setQuotes({
        bids: [{ price: (view.book.mid ?? 0) - 1, size: "1" }],
        reason: { SELL: "only buying" },
      }),
  });
  const step = bot.kernel.step.bind(bot.kernel);
  bot.kernel.step = (batch) => {
    const result = step(batch);
    fold.observe({ batch, ...result });
    return result;
  };
  return { bot, fold };
}

describe("the snapshot", () => {
  it("shows configured limits, and derived ones in their places", () => {
    const risk = riskSchema.parse({
      maxOrderSize: "3",
      maxOpenOrders: null,
      markets: { "1_2": { maxPosition: "7" } },
      triggers: { rejects: { pause: 30, window: "1m" }, unknownAge: { warn: "10s", pause: "1m" } },
    });
    const strategies = [{ name: "maker", marketId: marketId("1", "2") }];
    const rows = configuredRows({ risk, strategies });
    const fold = new DashboardFold([{ strategy: "maker", market }], 20, rows);
    const derived = { type: "limit", code: "LIMIT_DERIVED", message: "" } as const;
    fold.observe({
      batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
      effects: [],
      notes: [
        { ...derived, limit: "maxOrderNotional", of: "1_2", value: fixed("10360") },
        { ...derived, limit: "dayLoss", of: undefined, value: fixed("2072") },
      ],
    });
    const texts = fold
      .snapshot(driver, 0)
      .limits.map(({ limit, of, value, source }) => `${of ?? "bot"} ${limit}: ${value}, ${source}`);
    expect(texts).toEqual([
      "1_2 staleBook: 10s, default",
      "1_2 priceCollar: 5%, default",
      "1_2 maxOrderSize: 3, set",
      "1_2 maxPosition: 7, set",
      "1_2 maxOrderNotional: 10360, derived",
      "bot rejects: pause 30, set",
      "bot unknownAge: warn 10s, pause 1m, set",
      "bot dayLoss: halt 2072, derived",
    ]);
  });

  it("shows legs and stop orders by name, and leaves them out of the book while they wait", () => {
    const fold = new DashboardFold([{ strategy: "maker", market }], 20);
    const orders = new OrderNotes();
    const leg = { side: "SELL", origin: "leg", ...standing("NEW") } as const;
    const waiting = { isResting: false, waitsForTrigger: true } as const;
    const observe = (...notes: Note[]): void =>
      fold.observe({ batch: { seq: 1, nowMs: unixMs(1), inputs: [] }, effects: [], notes });
    observe(
      orders.next(2, { ...leg, role: "takeProfit", price: 2100 }),
      orders.next(3, { ...leg, ...waiting, role: "stopLoss", price: 0, stopPrice: 1900 }),
      orders.next(4, { ...leg, ...standing("PENDING_NEW"), role: "takeProfit", price: 2200 }),
      orders.next(9, { ...waiting, side: "SELL", role: "stop", price: 0, stopPrice: 1950 }),
    );
    const rows = () =>
      fold.snapshot(driver, 0).panels[0]?.orders.map(({ price, state }) => `${price} ${state}`);
    expect(rows()).toEqual([
      "2100 take profit, working",
      "1900 stop loss, waiting",
      "1950 stop, sent",
    ]);
    observe(orders.next(3, { waitsForTrigger: false, isTriggered: true }));
    expect(rows()?.[1]).toBe("1900 stop loss, working");
  });

  it("shows the step of the risk ladder, and its changes among the warnings", () => {
    const fold = new DashboardFold([{ strategy: "maker", market }], 20);
    const risk = () => fold.snapshot(driver, 0).panels[0]?.risk;
    expect(risk()).toEqual({ step: "normal", reason: "" });
    const message = "the day loss of maker is 7 quote token, limit 5 quote token";
    const notes: Note[] = [
      { type: "risk", of: "maker", trigger: "dayLoss", step: "halt", code: "RISK_HALT", message },
      { type: "riskStanding", strategy: "maker", step: "halt", reason: message },
    ];
    fold.observe({ batch: { seq: 1, nowMs: unixMs(1), inputs: [] }, effects: [], notes });
    expect(risk()).toEqual({ step: "halt", reason: message });
    expect(fold.snapshot(driver, 0).warnings).toEqual([
      { timeMs: 1, text: `RISK_HALT: ${message}` },
    ]);
  });

  it("shows reasons and warnings without marks that turn text around, and not endlessly long", () => {
    const fold = new DashboardFold([{ strategy: "maker", market }], 20);
    const message = `lost \u202e5${"y".repeat(1_000)}`;
    const notes: Note[] = [
      {
        type: "quoteReason",
        strategy: "maker",
        marketId: market.marketId,
        side: "BUY",
        inPart: false,
        reason: message,
      },
      { type: "risk", of: "maker", trigger: "dayLoss", step: "halt", code: "RISK_HALT", message },
      { type: "riskStanding", strategy: "maker", step: "halt", reason: message },
    ];
    fold.observe({ batch: { seq: 1, nowMs: unixMs(1), inputs: [] }, effects: [], notes });
    const { panels, warnings } = fold.snapshot(driver, 0);
    const texts = [panels[0]?.reason.BUY, panels[0]?.risk.reason, warnings[0]?.text];
    expect(texts).toHaveLength(3);
    for (const text of texts) {
      expect(text).toMatch(/lost {2}5y{100,300}/);
      expect(text?.length).toBeLessThan(320);
    }
  });

  it("says whether a guard is connected, and warns when the last one has gone", () => {
    const fold = new DashboardFold([{ strategy: "maker", market }], 20);
    const standby = {
      type: "standby",
      nonce: 2,
      strategy: "maker",
      intent: 1,
      orderId: `0x${"1".repeat(64)}` as OrderId,
      orderNonce: 1,
      isAcknowledged: true,
    } as const;
    const shown = (...notes: Note[]) => {
      fold.observe({ batch: { seq: 1, nowMs: unixMs(1), inputs: [] }, effects: [standby], notes });
      const { guard, warnings, requests } = fold.snapshot(driver, 0);
      // A standby cancel is no request.
      return { guard, warnings: warnings.length, perSecond: requests.perSecond };
    };
    expect(shown()).toEqual({ guard: "none", warnings: 0, perSecond: 0 });
    const connected = shown({ type: "guard", isConnected: true });
    expect(connected).toEqual({ guard: "connected", warnings: 0, perSecond: 0 });
    const lost = shown({ type: "guard", isConnected: false });
    expect(lost).toEqual({ guard: "lost", warnings: 1, perSecond: 0 });
  });

  it("shows the book with the own quantities, and own orders, fills, inventory and PnL", () => {
    const { bot, fold } = observedBot();
    bot.begin();
    const acked: Input[] = [bot.accepted(1), bot.event(1, "NEW")];
    bot.step(...acked, bot.depth(101, [1999, 6], []));
    let panel = fold.snapshot(driver, 0).panels[0];
    // Five requests: clock, open orders, balances, book and one placement.
    expect(fold.snapshot(driver, 0).requests).toEqual({ perSecond: 0.5, limit: 20 });
    expect(panel?.uptime).toEqual({ bid: 0.9, ask: 0.8, obligation: 0.5 });
    expect(panel?.book.state).toBe("live");
    expect(panel?.book.bids[0]).toEqual([1999, 6, 1]);
    expect(panel?.orders).toMatchObject([{ side: "BUY", price: 1999, state: "working" }]);
    expect(panel?.reason).toEqual({ BUY: null, SELL: "only buying" });

    bot.after(1000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "t1" }));
    panel = fold.snapshot(driver, 0).panels[0];
    expect(panel?.fills).toMatchObject([{ side: "BUY", quantity: "0.4", isMaker: true }]);
    expect(panel?.run).toMatchObject({ inventory: "0.4", pnl: "0.4", volume: "799.6" });
    expect(panel?.orders[0]?.remaining).toBe("0.6");

    bot.after(1000, bot.event(1, "CANCELED"));
    panel = fold.snapshot(driver, 0).panels[0];
    expect(panel?.orders.some((order) => order.price === 1999 && order.state === "working")).toBe(
      false,
    );
    const times = panel?.history.map(([timeMs]) => timeMs) ?? [];
    expect(times).toEqual([...times].sort((left, right) => left - right));
    const last = times.at(-1) ?? 0;
    expect(fold.snapshot(driver, last).panels[0]?.history).toEqual([]);
  });

  it("shows the position of all runs beside the change of this one", () => {
    const { bot, fold } = observedBot();
    const shown = () => {
      const { position, run } = fold.snapshot(driver, 0).panels[0] ?? {};
      return [position?.base, position?.totalPnl, position?.dayPnl, run?.inventory, run?.pnl];
    };
    const carried = {
      type: "position",
      strategy: "maker",
      marketId: market.marketId,
      base: "2",
      quote: "-4000",
      cost: "4000",
      fees: {},
      peak: "0",
      maxDrawdown: "0",
    } as const;
    const others = [
      { ...carried, strategy: "other", base: "7" },
      { ...carried, marketId: marketId(tokenId("5"), tokenId("6")), base: "9" },
    ];
    const restored = { orders: [], nonceHighWater: 0, carried: [carried, ...others] };
    bot.step({ type: "restored", restored });
    bot.begin({ bid: 2009, ask: 2011 });
    expect(shown()).toEqual(["2", "20", "0", "0", "0"]);
    bot.step(bot.accepted(1), bot.event(1, "NEW"));
    // Bought at 2009.
    bot.after(1000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "t1" }));
    expect(shown()).toEqual(["2.4", "20.4", "0.4", "0.4", "0.4"]);
  });

  it("keeps the history bounded", () => {
    const fold = new DashboardFold([{ strategy: "maker", market }], 20);
    for (let seq = 1; seq <= 4000; seq += 1) {
      fold.observe({
        batch: { seq, nowMs: unixMs(seq * 1000), inputs: [] },
        effects: [],
        notes: [],
      });
    }
    expect(fold.snapshot(driver, 0).panels[0]?.history).toHaveLength(3600);
  });
});

describe("the server", () => {
  let running: RunningDashboard | undefined;
  afterEach(async () => {
    vi.useRealTimers();
    await running?.close();
    running = undefined;
  });

  let snapshots = 0;

  async function start(access: Partial<DashboardOptions> = {}): Promise<string> {
    const webDir = mkdtempSync(path.join(tmpdir(), "touchline-web-"));
    writeFileSync(path.join(webDir, "index.html"), "<!doctype html><title>page</title>");
    const { bot, fold } = observedBot();
    bot.begin();
    running = await startDashboard({
      ...pageSettings(),
      webDir,
      snapshot(sinceMs) {
        snapshots += 1;
        return fold.snapshot(driver, sinceMs);
      },
      ...access,
    });
    return running.url;
  }

  it("serves the page and a stream of snapshots", async () => {
    const url = await start();
    const page = await fetch(url);
    expect(await page.text()).toContain("page");
    const policy = page.headers.get("content-security-policy")?.split("; ");
    expect(policy).toContain("default-src 'self'");
    // None of these falls back to `default-src`.
    for (const rule of ["base-uri", "form-action", "frame-ancestors"]) {
      expect(policy).toContain(`${rule} 'none'`);
    }
    const stream = await fetch(`${url}/api/v1/stream`);
    const chunk = await stream.body?.getReader().read();
    expect(new TextDecoder().decode(chunk?.value)).toMatch(/^data: \{"bot":"maker","mode":"paper"/);
  });

  it("refuses foreign hosts, methods that write, and paths outside the page", async () => {
    const url = await start();
    const port = new URL(url).port;
    const foreign = await rawGet(Number(port), "evil.example", "/api/v1/status");
    expect(foreign).toContain("421");
    expect((await fetch(`${url}/api/v1/status`, { method: "PUT" })).status).toBe(405);
    expect(await rawGet(Number(port), "127.0.0.1", "/../../package.json")).toContain("404");
    expect(await rawGet(Number(port), "127.0.0.1", "/%2e%2e/%2e%2e/etc/hosts.js")).toContain("404");
  });

  it("makes no snapshot for a request: the bot's thread makes them when its timer fires", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const url = await start();
    snapshots = 0;
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${url}/api/v1/status`)),
    );
    expect(responses.map(({ status }) => status)).toContain(200);
    expect(snapshots).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(snapshots).toBe(1);
  });

  it.each([
    ["", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    [" of no address", "GET // HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    [
      " that expect what nobody offers",
      "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: more\r\n\r\n",
    ],
  ])("lets 100 requests%s through at once, and refuses the next one", async (_, request) => {
    // No time passes that would allow more.
    vi.useFakeTimers({ toFake: ["performance"] });
    const server = new PageServer(pageOptions, newState());
    const port = Number(new URL(await server.listen()).port);
    const socket = createConnection(port, "127.0.0.1");
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(request.repeat(400));
    await closed;
    await server.close();
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses.indexOf("429")).toBe(100);
  });

  it("lets 20 viewers in, and another one once one of them has left", async () => {
    const url = await start();
    const view = async () => {
      const leave = new AbortController();
      return { response: await fetch(`${url}/api/v1/stream`, { signal: leave.signal }), leave };
    };
    const viewers = await Promise.all(Array.from({ length: 20 }, view));
    expect((await view()).response.status).toBe(503);
    // Read after the refusal: a response that nothing holds any more is closed when memory is collected.
    const statuses = viewers.map(({ response }) => response.status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    viewers[0]?.leave.abort();
    await expect.poll(async () => (await view()).response.status).toBe(200);
  });

  it("leaves a connection that does not read its responses, and keeps a viewer that reads", async () => {
    const state = newState();
    const server = new PageServer({ ...pageOptions, readMs: 500 }, state);
    const url = await server.listen();
    const update = (text: string) => {
      const snapshot = new DashboardFold([], 20).snapshot(driver, 0);
      state.apply(JSON.stringify({ ...snapshot, warnings: [{ timeMs: 1, text }] }));
      server.changed();
    };
    update("x".repeat(400_000));
    const reader = (await fetch(`${url}/api/v1/stream`)).body?.getReader();
    await nextEvent(reader);
    const greedy = createConnection(Number(new URL(url).port), "127.0.0.1");
    greedy.on("error", () => undefined);
    greedy.write("GET /api/v1/log HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(60));
    greedy.pause();
    // Only a write finds that the other end is gone while nothing is read, and each one counts as a sign of life.
    const nudge = setInterval(() => greedy.write("\r\n"), 2_000);
    await new Promise((resolve) => greedy.on("close", resolve));
    clearInterval(nudge);
    update("next");
    expect(await nextEvent(reader)).toEqual({ log: { 2: { timeMs: 1, text: "next" } } });
    await reader?.cancel();
    await server.close();
  });

  it("keeps 64 connections at most", async () => {
    const port = Number(new URL(await start()).port);
    let ended = 0;
    const silent = Array.from({ length: 100 }, () => {
      const socket = createConnection(port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.on("close", () => (ended += 1));
      return socket;
    });
    await expect.poll(() => ended).toBeGreaterThanOrEqual(36);
    for (const socket of silent) socket.destroy();
    await expect.poll(() => rawGet(port, "127.0.0.1", "/api/v1/status")).toContain("200 OK");
  });

  it("sends a viewer everything first, with the market that it looks at, and then only changes", async () => {
    const state = newState();
    const server = new PageServer(pageOptions, state);
    const url = await server.listen();
    const { bot, fold } = observedBot();
    const update = () => {
      state.apply(JSON.stringify(fold.snapshot(driver, 0)));
      server.changed();
    };
    bot.begin();
    update();
    const reader = (await fetch(`${url}/api/v1/stream?market=maker`)).body?.getReader();
    const first = await nextEvent(reader);
    expect(first).toMatchObject({
      mode: "paper",
      rows: { maker: { state: "oneSide", reason: { SELL: "only buying" }, uptime: { bid: 0.9 } } },
      view: { name: "maker", book: { state: "live" } },
    });
    bot.step(bot.accepted(1), bot.event(1, "NEW"));
    bot.after(1000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.1", tradeId: "t1" }));
    update();
    const second = await nextEvent(reader);
    expect(second).toMatchObject({ rows: { maker: { position: 0.1, fills: 1 } } });
    expect(second).not.toHaveProperty("rows.maker.ticker");
    expect(Object.keys(Object(Object(second)["view"])["fills"])).toEqual(["1"]);
    const whole = (await (await fetch(`${url}/api/v1/market?name=maker`)).json()) as Json;
    const patched = merged(first, second);
    expect(Object(patched)["view"]).toEqual(withoutNulls(Object(whole)));
    await reader?.cancel();
    await server.close();
  });

  it("refuses what a page of another origin asks for", async () => {
    const url = await start();
    const port = Number(new URL(url).port);
    const status = async (path: string, headers: Record<string, string>) => {
      const lines = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`);
      const response = await rawGet(port, `127.0.0.1:${port}${lines.join("")}`, path);
      return Number(response.split(" ")[1]);
    };
    for (const site of ["cross-site", "same-site"]) {
      expect(await status("/api/v1/status", { "sec-fetch-site": site })).toBe(403);
      expect(await status("/api/v1/stream", { "sec-fetch-site": site })).toBe(403);
    }
    expect(await status("/api/v1/status", { origin: "http://127.0.0.1:1" })).toBe(403);
    expect(await status("/api/v1/status", { "sec-fetch-site": "same-origin" })).toBe(200);
    // Somebody follows a link to the page.
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(await status("/", link)).toBe(200);
    expect(await status("/api/v1/status", link)).toBe(403);
  });

  it("rejects with PORT_TAKEN when its port is in use", async () => {
    const url = await start();
    const port = Number(new URL(url).port);
    await expect(
      startDashboard({
        ...pageSettings(),
        port,
        snapshot: () => new DashboardFold([], 20).snapshot(driver, 0),
      }),
    ).rejects.toMatchObject({ code: "PORT_TAKEN" });
  });
});

/** A GET with any Host header and an unnormalised path. */
function rawGet(port: number, host: string, target: string): Promise<string> {
  return sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
}

/** The next event of a stream. */
async function nextEvent(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<Json> {
  let text = "";
  while (!text.endsWith("\n\n")) {
    text += new TextDecoder().decode((await reader?.read())?.value);
  }
  return JSON.parse(text.replace(/^data: /, "")) as Json;
}
