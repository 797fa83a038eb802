import { describe, expect, test } from "vitest";
import { marketId as idOf } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { readKey, readOrder } from "../../src/domain/read-order.ts";
import type { Effect, Read } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { testMarket } from "../support/exchange.ts";
import {
  Harness,
  hashOf,
  market,
  placesOf,
  readsOf,
  scripted,
  type HarnessOptions,
} from "./harness.ts";

const { marketId } = market;
const isRead = (effect: Effect): effect is Read => readOrder.some((type) => type === effect.type);
const alive: Input = { type: "stream", state: "alive", reason: "" };
const failed = {
  type: "readFailed",
  read: "book",
  key: marketId,
  message: "",
  reason: "unavailable",
  retryAfterMs: undefined,
} as const;

/** A bot with one resting bid at 1990 that the book shows. */
function quoting(crossChecks = true, more: HarnessOptions["config"] = {}): Harness {
  const bids = [{ price: 1990, size: "1" }];
  const config = { crossChecks, ...more };
  const bot = new Harness({ decide: () => setQuotes({ bids, asks: [] }), config });
  const [bid] = placesOf(bot.begin());
  bot.step(bot.event(bid?.intent ?? 0, "NEW"), bot.accepted(bid?.intent ?? 0));
  bot.step(bot.depth(101, [1990, 1], []));
  return bot;
}

/** The reads that are wanted in `forMs`, each with the time after the start, while pongs arrive and no read gets a response. */
function readsWithin(bot: Harness, forMs: number): readonly string[] {
  const startMs = bot.nowMs;
  const reads: string[] = [];
  while (bot.nowMs < startMs + forMs) {
    const untilMs = Math.min(startMs + forMs, bot.nowMs + 1_000);
    const nextMs = Math.min(bot.last.nextDeadlineMs ?? untilMs, untilMs);
    const made = bot.after(Math.max(1, nextMs - bot.nowMs), {
      type: "stream",
      state: "alive",
      reason: "",
    });
    reads.push(...readsOf(made).map((read) => `${read} ${bot.nowMs - startMs}`));
  }
  return reads;
}

const fills: Input = { type: "fills", fills: [] };

function whole(bot: Harness, lastId: number, quantity: number): Input {
  const bids = Float64Array.of(1999, quantity, 1990, 1);
  const asks = Float64Array.of(2001, 5);
  const timeMs = unixMs(bot.nowMs);
  return { type: "book", snapshot: { marketId, lastId, timeMs, bids, asks } };
}

describe("all public channels of a market end with one event after the last comparison", () => {
  /** The seconds, of 30, in which the depth channel is subscribed to anew, while other messages come and each book over REST is newer. */
  function resubscribed(bot: Harness): readonly number[] {
    const seconds: number[] = [];
    for (let second = 1; second <= 30; second += 1) {
      const made = bot.after(1_000, { type: "stream", state: "alive", reason: "" });
      if (made.some(({ type }) => type === "resubscribe")) seconds.push(second);
      if (readsOf(made).includes("book")) bot.step(whole(bot, 101 + second, second));
    }
    return seconds;
  }

  test("a book that is due for a comparison and to check the silence at once checks it, so the channel is found behind", () => {
    expect(resubscribed(quoting(true, { checksBeforeComparing: true }))).toEqual([11]);
  });

  test("a book for a check that has our id is also compared", () => {
    const bot = quoting(true, { checksBeforeComparing: true });
    for (let second = 1; second <= 30; second += 1) {
      if (readsOf(bot.after(1_000, alive)).includes("book")) bot.step(whole(bot, 101, 7));
    }
    expect(bot.notes).toContainEqual({ type: "bookAudit", marketId, isSame: false });
  });

  /** The milliseconds, of a minute, after which the bid is canceled, while books over REST arrive by `respond`. */
  function canceledAfter(
    config: HarnessOptions["config"],
    respond: (bot: Harness) => Input,
    pushed: (bot: Harness) => Input = () => alive,
  ): number | undefined {
    const bot = quoting(true, config);
    for (let ms = 250; ms <= 60_000; ms += 250) {
      const made = [...bot.after(250, pushed(bot))];
      for (const effect of made) {
        if (effect.type === "cancel") return ms;
        if (effect.type === "book") made.push(...bot.step(respond(bot)));
        else if (isRead(effect)) {
          made.push(...bot.step({ ...failed, read: effect.type, key: readKey(effect) }));
        }
      }
    }
    return undefined;
  }

  const doubts = { checksBeforeComparing: true, doubtsUnshownBooks: true };

  test("quotes go when a book over REST has shown for the limit what the channel lacks, and the book is that of REST until then", () => {
    let id = 101;
    const respond = (bot: Harness): Input => whole(bot, (id += 1), id);
    expect(canceledAfter(doubts, respond)).toBe(20_250);
    // At 10 s, at 12 s and so on: while it is behind, the book is no older than two seconds.
    expect(id).toBe(107);
  });

  test("quotes go after twice the limit also when no book can be read over REST", () => {
    expect(canceledAfter(doubts, () => failed)).toBe(20_250);
  });

  test("quotes stay in a quiet market without REST while its snapshots come", () => {
    const pushed = (bot: Harness): Input => {
      const timeMs = unixMs(bot.nowMs);
      const bids = Float64Array.of(1999, 5, 1990, 1);
      const asks = Float64Array.of(2001, 5);
      return { type: "depthAudit", snapshot: { marketId, lastId: 101, timeMs, bids, asks } };
    };
    expect(canceledAfter(doubts, () => failed, pushed)).toBeUndefined();
  });

  test("a book that was synced is as old as its request, which took four seconds", () => {
    const config = { crossChecks: true, ...doubts };
    const bot = new Harness({ decide: () => setQuotes({ bids: [], asks: [] }), config });
    bot.step({ type: "stream", state: "opened", reason: "" });
    bot.after(4_000, bot.snapshot(1999, 2001));
    const syncedMs = bot.nowMs;
    while (bot.notes.every(({ type }) => type !== "channel")) {
      for (const effect of bot.after(250, alive)) if (effect.type === "book") bot.step(failed);
    }
    expect(bot.nowMs - syncedMs).toBe(16_000);
  });

  test("quotes stay in a quiet market of which every second book over REST fails", () => {
    let count = 0;
    const respond = (bot: Harness): Input => ((count += 1) % 2 === 0 ? whole(bot, 101, 5) : failed);
    expect(canceledAfter(doubts, respond)).toBeUndefined();
  });
});

describe("a quiet market while no book can be read over REST for two minutes", () => {
  const quiet = testMarket({ marketId: idOf("1", "3") });

  /** The quiet market's. */
  function book(lastId: number): Input {
    const bids = Float64Array.of(1999, lastId, 1990, 1);
    const asks = Float64Array.of(2001, 5);
    const timeMs = unixMs(0);
    return { type: "book", snapshot: { marketId: quiet.marketId, lastId, timeMs, bids, asks } };
  }

  /**
   * What a bot that quotes a busy market, too, does within two minutes, with the seconds after the start. Until `untilMs` all reads fail, then
   * the books of the quiet market have this id.
   */
  function done(untilMs = Number.POSITIVE_INFINITY, lastId = 0): readonly string[] {
    const definition = scripted(() => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }));
    const slot = { definition, params: {}, seed: 1 };
    const bot = new Harness({
      decide: () => setQuotes({ bids: [], asks: [] }),
      config: {
        crossChecks: true,
        checksBeforeComparing: true,
        doubtsUnshownBooks: true,
        rate: { perSecond: 50, burst: 100, concurrency: 40 },
        markets: [market, quiet],
        strategies: [
          { ...slot, name: "busy", marketId },
          { ...slot, name: "quiet", marketId: quiet.marketId },
        ],
      },
    });
    for (const { intent } of placesOf([...bot.begin(), ...bot.step(book(100))])) {
      bot.step(bot.accepted(intent));
    }
    const lines: string[] = [];
    for (let ms = 250, id = 101; ms <= 120_000; ms += 250, id += 1) {
      const before = bot.notes.length;
      const made = [...bot.after(250, bot.depth(id, [1999, 5 + (id % 2)], []))];
      for (const effect of made) {
        if (effect.type === "cancel") lines.push(`${ms / 1_000} cancel ${effect.strategy}`);
        if (effect.type === "resubscribe") lines.push(`${ms / 1_000} resubscribe`);
        if (effect.type === "reconnect") lines.push(`${ms / 1_000} reconnect`);
        if (!isRead(effect)) continue;
        const isBook =
          ms >= untilMs && effect.type === "book" && effect.marketId === quiet.marketId;
        const failure = { ...failed, read: effect.type, key: readKey(effect) };
        made.push(...bot.step(isBook ? book(lastId) : failure));
      }
      for (const note of bot.notes.slice(before)) {
        if (note.type === "channel") lines.push(`${ms / 1_000} ${note.state}`);
      }
    }
    return lines;
  }

  test("pulls its own quotes only, and costs no other market its book", () => {
    expect(done()).toEqual(["20 behind", "20.25 cancel quiet"]);
  });

  test("is live again with the first book that is as ours", () => {
    expect(done(60_000, 100)).toEqual(["20 behind", "20.25 cancel quiet", "60 live"]);
  });

  test("is subscribed to anew a second after the first book that differs", () => {
    expect(done(60_000, 101).slice(0, 4)).toEqual([
      "20 behind",
      "20.25 cancel quiet",
      "61 resubscribe",
      "66 reconnect",
    ]);
  });
});

describe("an own order that is gone from the book without an event", () => {
  /** Beyond the time in which lists are not read again. */
  function settled(crossChecks = true): Harness {
    const bot = quoting(crossChecks);
    bot.after(4_000, bot.depth(102, [1999, 6], []));
    bot.after(2_000, bot.depth(103, [1999, 5], []));
    return bot;
  }

  test("has orders and fills read after a second", () => {
    const bot = settled();
    bot.step(bot.depth(104, [1990, 0], []));
    const reads = readsWithin(bot, 2_000);
    expect(reads).toEqual(expect.arrayContaining(["openOrders 1000", "fills 1000"]));
  });

  test("has nothing read when an event tells of it in time, or in an older journal", () => {
    const bot = settled();
    bot.step(bot.depth(104, [1990, 0], []));
    bot.after(500, bot.event(1, "FILLED", { quantity: "1", tradeId: "1" }));
    expect(readsWithin(bot, 1_500).filter((read) => /openOrders|fills/.test(read))).toEqual([]);
    const old = settled(false);
    old.step(old.depth(104, [1990, 0], []));
    expect(readsWithin(old, 3_000).filter((read) => /openOrders|fills/.test(read))).toEqual([]);
  });
});

describe("fills are read while an order rests", () => {
  test("and neither user events nor public trades with order ids come for the limit of stale-book", () => {
    const bot = quoting();
    const reads = readsWithin(bot, 10_500).filter((read) => read.startsWith("fills"));
    expect(reads).toEqual(["fills 10000"]);
  });

  test("but not when public trades come that name their orders", () => {
    const bot = quoting();
    for (let tradeId = 1; tradeId < 20; tradeId += 1) {
      bot.after(1_000, {
        type: "trade",
        trade: {
          marketId,
          tradeId: String(tradeId),
          price: 2000,
          quantity: 1,
          timeMs: unixMs(bot.nowMs),
          isBuyerMaker: false,
          buyOrderId: hashOf(70),
        },
      });
      expect(readsOf(bot.last.effects)).not.toContain("fills");
    }
  });
});

describe("a book that changes for the limit of stale-book without an audit", () => {
  /** With events twice a second, the first at 102, and the REST read of the book that they lead to. */
  function unaudited(): { bot: Harness; id: number } {
    const bot = quoting();
    for (let id = 102; id < 140; id += 1) {
      bot.after(500, bot.depth(id, [1999, id % 2 === 0 ? 6 : 5], []), fillsOf(bot));
      if (readsOf(bot.last.effects).includes("book")) return { bot, id };
    }
    throw new Error("the book was not read");
  }

  function fillsOf(bot: Harness): Input {
    return readsOf(bot.last.effects).includes("fills")
      ? fills
      : { type: "stream", state: "alive", reason: "" };
  }

  test("is compared with the book over REST as soon as it reaches its id", () => {
    const { bot, id } = unaudited();
    expect(bot.nowMs % 1_000).toBe(0);
    bot.after(20, whole(bot, id + 1, 7));
    expect(bot.notes.filter(({ type }) => type === "bookAudit")).toEqual([]);
    bot.after(20, bot.depth(id + 1, [1999, 7], []));
    expect(bot.notes).toContainEqual({ type: "bookAudit", marketId, isSame: true });
    expect(bot.kernel.mid(marketId)).toBeDefined();
  });

  test("is fetched again when that differs, and the channel is behind when it differs once more", () => {
    const { bot, id } = unaudited();
    expect(readsOf(bot.after(20, whole(bot, id, 9)))).toContain("book");
    expect(bot.kernel.mid(marketId)).toBeUndefined();
    bot.after(20, whole(bot, id + 1, 9));
    bot.after(20, bot.depth(id + 2, [1999, 8], []));
    const reads = readsWithin(bot, 2_500);
    expect(reads).toContain("book 2000");
    bot.step(whole(bot, id + 2, 9));
    expect(bot.notes).toContainEqual(
      expect.objectContaining({
        type: "channel",
        state: "behind",
        reason: "its events make a wrong book",
      }),
    );
    const warnings = bot.notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
    expect(warnings.filter((code) => code === "BOOK_MISMATCH")).toHaveLength(1);
    expect(bot.last.effects).toContainEqual({
      type: "resubscribe",
      channel: { kind: "depth", marketId },
    });
  });
});

test("a trade channel that lacks an own trade has the book read, too", () => {
  const bot = quoting();
  const trade = { marketId, tradeId: "9", price: 2000, quantity: 1, isBuyerMaker: false } as const;
  bot.after(1_000, {
    type: "trade",
    trade: { ...trade, timeMs: unixMs(bot.nowMs), buyOrderId: hashOf(77) },
  });
  bot.after(1_000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "3" }));
  bot.after(10, bot.depth(102, [1990, 0.6], []));
  expect(readsWithin(bot, 6_000)).toContain("book 4990");
});
