import { describe, expect, it } from "vitest";
import { DashboardFold } from "../../src/dashboard/dashboard-fold.ts";
import { overviewOf } from "../../src/dashboard/overview.ts";
import { overviewOfAll } from "../../src/dashboard/several-bots.ts";
import { configuredRows } from "../../src/dashboard/limit-rows.ts";
import { botLimitUse, limitUse } from "../../src/dashboard/limit-use.ts";
import { marketDetail } from "../../src/dashboard/market-detail.ts";
import { type Json, mergePatch, merged, withoutNulls } from "../../src/dashboard/merge-patch.ts";
import type { DashboardSnapshot } from "../../src/dashboard/snapshot.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Note } from "../../src/kernel/note.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { market } from "../kernel/harness.ts";
import { driver, observed, quotingBot } from "./observed.ts";
import { about } from "./page-settings.ts";

const standsStill = (standstill?: "halted" | "paused") => ({
  ...driver,
  standstills: new Map([["maker", standstill]]),
});

/** The overview of a bot at work, or with these notes on top. */
function overview(standstill?: "halted" | "paused", notes: readonly Note[] = []) {
  const fold = observed();
  fold.observe({ batch: { seq: 99, nowMs: unixMs(9_999_999), inputs: [] }, effects: [], notes });
  return overviewOf(fold.snapshot(standsStill(standstill), 0), { ...about, version: "1" }, 0);
}

describe("the overview", () => {
  it("says what each strategy does, and why a side is not quoted", () => {
    const { rows, totals, problems } = overview();
    expect(rows["maker"]).toMatchObject({
      ticker: market.ticker,
      state: "oneSide",
      reason: { BUY: null, SELL: "buying" },
      position: 0.3,
      fills: 3,
      uptime: { bid: 0.9, ask: 0.8, obligation: 0.5 },
    });
    expect(totals).toMatchObject({ fills: 3, quoting: 0, currency: market.ticker.split("/")[1] });
    expect(problems).toEqual([]);
  });

  it("puts the worst first, and strategies of one problem together", () => {
    const [worst] = overview("halted").problems;
    expect(worst).toEqual({ level: "bad", of: ["maker"], text: "halted" });
    const paused = overview("paused", [{ type: "guard", isConnected: false }]);
    expect(paused.problems.map(({ level, text }) => `${level} ${text}`)).toEqual([
      "bad no guard is connected any more",
      "warn paused",
    ]);
    const snapshot = observed().snapshot(standsStill("paused"), 0);
    const [panel] = snapshot.panels;
    if (panel === undefined) throw new Error("no panel");
    const panels = [panel, { ...panel, name: "other", strategy: "other" }];
    const both = overviewOf({ ...snapshot, panels }, { ...about, version: "1" }, 0);
    expect(both.problems).toEqual([{ level: "warn", of: ["maker", "other"], text: "paused" }]);
  });

  it("shows a market that was left until somebody resumes", () => {
    const fold = new DashboardFold([{ strategy: "maker", market }], 20);
    const left = { type: "left", marketId: market.marketId } as const;
    const state = () => overviewOf(fold.snapshot(standsStill(), 0), { ...about, version: "1" }, 0);
    const carry = (reason?: string): void =>
      fold.observe({
        batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
        effects: [],
        notes: [],
        carried: [reason === undefined ? left : { ...left, reason }],
      });
    carry("an impossible fill");
    const now = state();
    expect(now.rows["maker"]).toMatchObject({
      state: "left",
      because: "the venue is not believed: an impossible fill",
    });
    expect(now.problems[0]).toMatchObject({ level: "bad", of: ["maker"] });
    carry();
    expect(state().rows["maker"]?.state).toBe("stale");
  });

  it("says when the rate budget is short and when the bot sends nothing any more", () => {
    const snapshot = observed().snapshot(standsStill(), 0);
    const busy = { ...snapshot, requests: { perSecond: 19, limit: 20 } };
    const texts = (of: DashboardSnapshot, ageMs: number) =>
      overviewOf(of, { ...about, version: "1" }, ageMs).problems.map(({ text }) => text);
    expect(texts(busy, 0)).toEqual(["the rate budget is short: 20 requests a second are allowed"]);
    expect(texts(snapshot, 30_000)).toEqual(["the bot has sent nothing for 30 s"]);
  });
});

describe("the overview of several bots", () => {
  const one = { ...overview(), mode: "demo" } as const;
  const other = { ...overview("halted"), mode: "live" } as const;
  const all = (problem?: string) =>
    overviewOfAll(
      [
        { name: "one", url: "http://127.0.0.1:1", mayAct: true, overview: one },
        {
          name: "other",
          url: "http://127.0.0.1:2",
          mayAct: false,
          overview: other,
          ...(problem && { problem }),
        },
      ],
      { version: "1", startedMs: 0 },
    );

  it("has the rows of each with its mode and page, their problems, and totals in one currency", () => {
    const { mode, rows, problems, totals } = all();
    expect(mode).toBe("live");
    expect(rows).toMatchObject({
      "one maker": { name: "maker", bot: { mode: "demo", url: "http://127.0.0.1:1" } },
      "other maker": { state: "halted", bot: { name: "other", mode: "live" } },
    });
    expect(problems).toContainEqual({ level: "bad", of: ["other maker"], text: "halted" });
    expect(totals).toMatchObject({
      currency: one.totals.currency,
      fills: 2 * one.totals.fills,
      day: 2 * (one.totals.day ?? Number.NaN),
    });
    const { currency, total } = overviewOfAll(
      [one, { ...one, totals: { ...one.totals, currency: "BTC" } }].map((seen, at) => {
        return { name: `bot ${at}`, url: "", mayAct: false, overview: seen };
      }),
      { version: "1", startedMs: 0 },
    ).totals;
    expect([currency, total]).toEqual([null, null]);
  });

  it("shows the rows of a bot that does not respond as stale", () => {
    const { rows, problems } = all("No bot responds.");
    expect(rows).toMatchObject({
      "one maker": { state: "oneSide" },
      "other maker": { state: "stale", because: "its bot does not respond" },
    });
    expect(problems).toContainEqual({ level: "bad", of: [], text: "other: No bot responds." });
  });
});

describe("the use of limits", () => {
  const use = (risk: object, base: string, dayPnl: string | null) => {
    const strategies = [{ name: "maker", marketId: marketId("1", "2") }];
    const limits = configuredRows({ risk: riskSchema.parse(risk), strategies });
    const snapshot = observed().snapshot(driver, 0);
    const [panel] = snapshot.panels;
    if (panel === undefined) throw new Error("no panel");
    const measured = { ...panel, position: { ...panel.position, base, dayPnl } };
    const portfolio = { ...snapshot.portfolio, pnl: { day: dayPnl, total: dayPnl } };
    const bot = botLimitUse({ ...snapshot, limits, portfolio });
    return { own: limitUse(measured, limits), bot };
  };

  it("is that of the position in base or quote token, and of the orders of all markets", () => {
    const { own, bot } = use({ maxPosition: "2", maxOpenOrders: 8 }, "-1.5", null);
    expect(own).toEqual([{ limit: "maxPosition", share: 0.75, text: "1.5 of 2" }]);
    expect(bot).toEqual([{ limit: "maxOpenOrders", share: 0.5, text: "4 of 8" }]);
    const inQuote = use({ maxPosition: { quote: "4000" }, maxOpenOrders: null }, "1", null);
    expect(inQuote.own[0]?.text).toMatch(/ of 4000 quote$/);
    expect(inQuote.own[0]?.share).toBeCloseTo(0.5, 1);
  });

  it("is that of a loss against its hardest step, and none of a gain", () => {
    const risk = { triggers: { dayLoss: { warn: "10", halt: "100" } }, maxOpenOrders: null };
    expect(use(risk, "0", "-25").bot).toEqual([
      { limit: "dayLoss", share: 0.25, text: "25 of 100" },
    ]);
    expect(use(risk, "0", "25").bot[0]?.share).toBe(0);
    expect(use(risk, "0", null).bot).toEqual([]);
  });
});

describe("a market", () => {
  function quoting() {
    const { bot, fold } = quotingBot();
    return { bot, view: () => marketDetail(fold.snapshot(driver, 0), "maker") };
  }

  it("estimates what is ahead of an own order from the book and the public trades", () => {
    const { bot, view } = quoting();
    const ahead = () => Object.values(view()?.orders ?? {})[0]?.queueAhead;
    expect(ahead()).toBe(5);
    bot.step({
      type: "trade",
      trade: {
        marketId: market.marketId,
        tradeId: "t",
        price: 1999,
        quantity: 2,
        timeMs: unixMs(1),
        isBuyerMaker: true,
      },
    });
    expect(ahead()).toBe(3);
    // More at the price is behind.
    bot.step(bot.depth(102, [1999, 9], []));
    expect(ahead()).toBe(3);
    bot.step(bot.depth(103, [1999, 2], []));
    expect(ahead()).toBe(1);
  });

  it("splits the PnL of this run, and measures how the mid moved after fills", () => {
    const { bot, view } = quoting();
    bot.after(1000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "t1" }));
    const { run, markouts } = view() ?? {};
    expect(run?.parts).toEqual({ spread: "0.4", inventory: "0", fees: "0" });
    expect(Object.keys(markouts ?? {})).toEqual(["1000", "10000", "60000"]);
    expect(markouts?.["1000"]).toMatchObject({ bps: null, orders: 0 });
    bot.after(2000);
    bot.after(1000);
    // Bought one below the mid of 2000.
    expect(view()?.markouts["1000"]?.bps).toBeCloseTo(5, 1);
  });

  it("is undefined for a name that the bot does not have", () => {
    expect(marketDetail(observed().snapshot(driver, 0), "nobody")).toBeUndefined();
  });
});

describe("a merge patch", () => {
  it.each<[Json, Json]>([
    [
      { a: 1, b: { c: [1, 2], d: "x" } },
      { a: 1, b: { c: [1, 3], d: "x" } },
    ],
    [{ a: 1, b: 2 }, { b: 2 }],
    [{ a: { b: 1 } }, { a: 1 }],
    [{ a: 1 }, { a: { b: { c: 1 } } }],
    [{ a: [] }, { a: [], b: {} }],
    ["text", { a: 1 }],
  ])("of %j makes %j of it", (before, after) => {
    const patch = mergePatch(before, after);
    expect(merged(before, patch ?? before)).toEqual(after);
    expect(mergePatch(after, after)).toBeUndefined();
  });

  it("holds only what has changed", () => {
    const before = { a: 1, rows: { x: { p: 1, q: 2 }, y: { p: 1 } } };
    const after = { a: 1, rows: { x: { p: 1, q: 3 } } };
    expect(mergePatch(before, after)).toEqual({ rows: { x: { q: 3 }, y: null } });
    expect(withoutNulls({ a: null, b: { c: null, d: [null] } })).toEqual({ b: { d: [null] } });
  });
});
