import { describe, expect, test } from "vitest";
import type { Trade } from "../../src/domain/depth.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import type { Input } from "../../src/kernel/input.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import {
  cancelsOf,
  Harness,
  hashOf,
  market,
  placesOf,
  readsOf,
  type HarnessOptions,
} from "./harness.ts";

const { marketId } = market;
const alone = {
  crossChecks: false,
  checksBeforeComparing: false,
  doubtsUnshownBooks: false,
} as const;

/** A bot with one resting bid at 1990 that the book shows. */
function quoting(config: HarnessOptions["config"] = {}): Harness {
  const bids = [{ price: 1990, size: "1" }];
  const bot = new Harness({
    decide: () => setQuotes({ bids, asks: [] }),
    config: { ...alone, ...config },
  });
  const [bid] = placesOf(bot.begin());
  bot.step(bot.event(bid?.intent ?? 0, "NEW"), bot.accepted(bid?.intent ?? 0));
  bot.step(bot.depth(101, [1990, 1], []));
  return bot;
}

function snapshot(bot: Harness, lastId: number): Input {
  const book = bot.snapshot(1999, 2001, lastId);
  if (book.type !== "book") throw new Error("a book");
  return { type: "depthAudit", snapshot: book.snapshot };
}

function trade(bot: Harness, price: number, more: Partial<Trade> = {}): Input {
  const timeMs = unixMs(bot.nowMs);
  const base = { marketId, tradeId: "1", price, quantity: 1, timeMs, isBuyerMaker: false };
  return { type: "trade", trade: { ...base, ...more } };
}

const alive: Input = { type: "stream", state: "alive", reason: "" };
const healing = (effects: readonly Effect[]): readonly Effect[] =>
  effects.filter(({ type }) => type === "resubscribe" || type === "reconnect");

/** Waits until each deadline of the kernel, `limitMs` at most, while pongs arrive; no read gets a response. Returns all effects. */
function waited(bot: Harness, limitMs: number): readonly { atMs: number; effect: Effect }[] {
  const untilMs = bot.nowMs + limitMs;
  const startMs = bot.nowMs;
  const effects: { atMs: number; effect: Effect }[] = [];
  while (bot.nowMs < untilMs) {
    const nextMs = Math.min(bot.last.nextDeadlineMs ?? untilMs, bot.nowMs + 1_000, untilMs);
    const made = bot.after(Math.max(1, nextMs - bot.nowMs), alive);
    effects.push(...made.map((effect) => ({ atMs: bot.nowMs - startMs, effect })));
  }
  return effects;
}

describe("the depth channel", () => {
  test.each<[string, (bot: Harness) => Input]>([
    ["a snapshot is newer than the book", (bot) => snapshot(bot, 102)],
    ["a trade went through the book's touch", (bot) => trade(bot, 2002)],
  ])("pulls the quotes 10 s after the first sign, at its deadline: %s", (reason, sign) => {
    const bot = quoting();
    bot.nowMs += 1_000;
    bot.step(sign(bot));
    const effects = waited(bot, 12_000);
    expect(effects.find(({ effect }) => effect.type === "book")?.atMs).toBe(1_000);
    expect(effects.find(({ effect }) => effect.type === "cancel")?.atMs).toBe(10_001);
    expect(bot.notes).toContainEqual({
      type: "quoteReason",
      strategy: "maker",
      side: "BUY",
      reason: `depth channel is behind: ${reason}`,
    });
    expect(bot.notes).toContainEqual({
      type: "channel",
      channel: { kind: "depth", marketId },
      state: "behind",
      sinceMs: bot.nowMs - 12_000,
      reason,
    });
  });

  test("is behind when REST acknowledged an own order that the book does not show", () => {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
      config: alone,
    });
    const [bid] = placesOf(bot.begin());
    bot.step(bot.accepted(bid?.intent ?? 0));
    bot.step(bot.event(bid?.intent ?? 0, "NEW"));
    const effects = waited(bot, 12_000);
    expect(effects.find(({ effect }) => effect.type === "book")?.atMs).toBe(1_000);
    expect(effects.some(({ effect }) => effect.type === "cancel")).toBe(true);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        reason: "depth channel is behind: an own order is not in the book",
      }),
    );
  });

  test("is subscribed to anew as soon as REST proves the sign, and its book is then synced anew", () => {
    const bot = quoting();
    bot.after(1_000, snapshot(bot, 102));
    expect(readsOf(bot.after(1_000))).toContain("book");
    const channel = { kind: "depth", marketId } as const;
    expect(healing(bot.step(bot.snapshot(1998, 2001, 102)))).toEqual([
      { type: "resubscribe", channel },
    ]);
    expect(readsOf(bot.after(100, { type: "resubscribed", channel }))).toContain("book");
    expect(bot.kernel.mid(marketId)).toBeUndefined();
    bot.after(50, bot.snapshot(1998, 2001, 102));
    bot.after(50, bot.depth(103, [1997, 1], []));
    expect(bot.notes).toContainEqual(expect.objectContaining({ type: "channel", state: "live" }));
    expect(cancelsOf(waited(bot, 20_000).map(({ effect }) => effect))).toEqual([]);
  });

  test("gets new connections after waits that double, while nothing helps", () => {
    const bot = quoting();
    bot.after(1_000, snapshot(bot, 102));
    bot.after(1_000);
    const first = bot.step(bot.snapshot(1998, 2001, 102)).map((effect) => ({ atMs: 0, effect }));
    const effects = [...first, ...waited(bot, 200_000)];
    const attempts = effects.filter(({ effect }) => healing([effect]).length > 0);
    expect(attempts.map(({ effect, atMs }) => `${effect.type} ${Math.round(atMs / 1000)}`)).toEqual(
      [
        "resubscribe 0",
        "reconnect 5",
        "reconnect 10",
        "reconnect 20",
        "reconnect 40",
        "reconnect 80",
        "reconnect 160",
      ],
    );
  });

  test("is not judged by a book over REST that is newer only by its id", () => {
    const bot = quoting();
    bot.after(1_000, snapshot(bot, 102));
    bot.after(1_000);
    const book = bot.snapshot(1999, 2001, 102);
    if (book.type !== "book") throw new Error("a book");
    const bids = Float64Array.of(1999, 5, 1990, 1);
    bot.step({ ...book, snapshot: { ...book.snapshot, bids } });
    expect(healing(waited(bot, 30_000).map(({ effect }) => effect))).toEqual([]);
    expect(bot.notes.filter(({ type }) => type === "channel")).toEqual([]);
  });

  test.each([Number.POSITIVE_INFINITY])(
    "is not judged with channelCheckMs %s",
    (channelCheckMs) => {
      const bot = quoting({ timing: { ...defaultTiming, channelCheckMs } });
      bot.after(1_000, snapshot(bot, 102), trade(bot, 2002));
      const effects = waited(bot, 20_000).map(({ effect }) => effect);
      expect(cancelsOf(effects)).toEqual([]);
      expect(readsOf(effects)).not.toContain("book");
    },
  );

  test("pulls nothing where the rule stale-book is off", () => {
    const bot = quoting({ risk: riskSchema.parse({ staleBook: null }) });
    bot.after(1_000, snapshot(bot, 102));
    bot.after(1_000);
    bot.step(bot.snapshot(1998, 2001, 102));
    expect(cancelsOf(waited(bot, 60_000).map(({ effect }) => effect))).toEqual([]);
  });
});

describe("the user channel", () => {
  test("has fills and the order queried half a second after a public trade of ours", () => {
    const bot = quoting();
    const buyOrderId = bot.ids.get(1);
    if (buyOrderId === undefined) throw new Error("an order");
    bot.after(5_000, bot.depth(102, [1999, 0], []));
    bot.step(trade(bot, 1990, { buyOrderId }));
    const effects = waited(bot, 600);
    const reads = effects.filter(({ effect }) => ["fills", "order"].includes(effect.type));
    expect(reads.map(({ effect, atMs }) => `${effect.type} ${atMs}`).toSorted()).toEqual([
      "fills 500",
      "order 500",
    ]);
  });

  test("has fills queried for a public trade even when later user events come", () => {
    const bot = quoting();
    const buyOrderId = bot.ids.get(1);
    if (buyOrderId === undefined) throw new Error("an order");
    bot.after(5_000, trade(bot, 1990, { buyOrderId, tradeId: "1" }));
    bot.after(50, trade(bot, 1990, { buyOrderId, tradeId: "2" }));
    bot.after(50, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.2", tradeId: "2" }));
    const reads = waited(bot, 600).filter(({ effect }) => effect.type === "fills");
    expect(reads.map(({ atMs }) => atMs)).toEqual([400]);
  });

  test("is subscribed to anew when REST shows an order of which no event told, and all lists are read", () => {
    const bids = [{ price: 1990, size: "1" }];
    const bot = new Harness({ decide: () => setQuotes({ bids, asks: [] }) });
    const [bid] = placesOf(bot.begin());
    const intent = bid?.intent ?? 0;
    bot.step(bot.accepted(intent), bot.depth(101, [1990, 1], []));
    const asked = bot.after(1_000);
    expect(readsOf(asked)).toContain("order");
    const orderId = bot.ids.get(intent);
    if (orderId === undefined) throw new Error("an order");
    const report = bot.report(intent, "NEW");
    const fills: Input = { type: "fills", fills: [] };
    const effects = bot.after(50, fills, { type: "order", orderId, report });
    expect(healing(effects)).toEqual([{ type: "resubscribe", channel: { kind: "userEvent" } }]);
    expect(readsOf(effects)).toEqual(expect.arrayContaining(["openOrders", "fills"]));
    const later = waited(bot, 12_000).filter(({ effect }) => effect.type === "cancel");
    expect(later[0]?.atMs).toBe(10_000 - 1_050 + 1);
    expect(bot.notes).toContainEqual(
      expect.objectContaining({ reason: "user channel is behind: an event did not come" }),
    );
  });

  test.each([40, -40])("and the public trades give the lag between the two: %d ms", (lagMs) => {
    const bot = quoting();
    const buyOrderId = bot.ids.get(1);
    if (buyOrderId === undefined) throw new Error("an order");
    const fill = (): Input => bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "1" });
    const both = [() => trade(bot, 1990, { buyOrderId }), fill];
    const [first, second] = lagMs > 0 ? both : both.toReversed();
    bot.after(1_000, ...(first === undefined ? [] : [first()]));
    bot.after(Math.abs(lagMs), ...(second === undefined ? [] : [second()]));
    expect(bot.notes).toContainEqual({ type: "ownTrade", marketId, lagMs });
  });
});

describe("the trade channel", () => {
  test("is subscribed to anew when it lacks a fill of a user event, and no quote is pulled", () => {
    const bot = quoting();
    bot.after(1_000, trade(bot, 2000, { buyOrderId: hashOf(77) }));
    bot.after(1_000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "3" }));
    const effects = waited(bot, 20_000);
    const healed = effects.filter(({ effect }) => healing([effect]).length > 0);
    expect(healed[0]).toEqual({
      atMs: 5_000,
      effect: { type: "resubscribe", channel: { kind: "trade", marketId } },
    });
    expect(cancelsOf(effects.map(({ effect }) => effect))).toEqual([]);
  });
});
