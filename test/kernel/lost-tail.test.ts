import { describe, expect, it } from "vitest";
import { defaultTiming } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import {
  bidReport,
  cancelsOf,
  Harness,
  hashOf,
  market,
  placesOf,
  readsOf,
  start,
} from "./harness.ts";

it("nothing is quoted before a list of open orders that was requested when no order that the journal lost can appear any more", () => {
  const bot = new Harness({
    decide: (view) => setQuotes({ bids: [{ price: (view.book.mid ?? 0) - 1, size: "1" }] }),
  });
  const tail = { sinceMs: start - 1_000, untilMs: start + 5_000, marketIds: [market.marketId] };
  bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], lostTails: [tail] } });
  expect(placesOf(bot.begin())).toEqual([]);
  const listed = () => {
    bot.after(2_000);
    return placesOf(bot.after(1, { type: "openOrders", orders: [] }));
  };
  // Requested before that time: an order may still appear.
  expect(listed()).toEqual([]);
  expect(listed()).toEqual([]);
  expect(listed()).toHaveLength(1);
});

it.each([
  { when: "below the journal's last entry", startMs: start, adopted: [hashOf(7)] },
  { when: "above it from the start", startMs: start + 6_000, adopted: [] },
])(
  "an order older than the journal's end that is listed late is adopted when the venue's clock was read $when",
  ({ startMs, adopted }) => {
    const bot = new Harness({ decide: () => setQuotes({}) });
    const tail = {
      sinceMs: start + 5_000,
      offsetMs: 0,
      untilMs: start + 15_000,
      landsUntilMs: start + 80_000,
      marketIds: [market.marketId],
    };
    bot.nowMs = startMs;
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], lostTails: [tail] } });
    bot.begin();
    // By the time of the list, the venue's clock is above that entry again.
    bot.after(6_000);
    expect(cancelsOf(bot.after(1, listOf(start + 1_000)))).toEqual(adopted);
  },
);

describe("a list of open orders that came before the venue's clock was read", () => {
  /** By the machine's clock its time is over. Ours is 425 s ahead of the venue's. */
  const tail = {
    sinceMs: start - 420_000,
    offsetMs: -417_000,
    untilMs: start - 405_000,
    landsUntilMs: start - 345_000,
    marketIds: [market.marketId],
  };
  const reading: Input = { type: "venueTime", offsetMs: -425_000, roundTripMs: 1 };
  const timeFailed: Input = {
    type: "readFailed",
    read: "venueTime",
    key: "",
    message: "no response",
    reason: "unavailable",
    retryAfterMs: undefined,
  };

  /** Is stopping and has requested the clock, and the lists came first. */
  function listedFirst(list: Input, lostTails = [tail]) {
    const bot = new Harness({ decide: () => setQuotes({}) });
    bot.step({ type: "restored", restored: { nonceHighWater: 0, orders: [], lostTails } });
    bot.step({ type: "stream", state: "opened", reason: "" });
    const stopping = bot.step({ type: "operator", command: "stop" });
    if (finishedOf(stopping).length > 0) return { bot, effects: stopping };
    // The second one is the last list of a run.
    expect(readsOf(bot.after(1, list))).toEqual(["openOrders"]);
    return { bot, effects: bot.after(1, list) };
  }

  const finishedOf = (effects: readonly Effect[]) =>
    effects.filter(({ type }) => type === "finished");

  it("does not end a stop, and one that is requested after the reading finds the lost order", () => {
    // The venue's clock had gone back, so the order is older than the end of the journal.
    const list = listOf(tail.sinceMs - 5_000);
    const { bot, effects } = listedFirst(list);
    expect(finishedOf(effects)).toEqual([]);
    expect(readsOf(bot.after(1, reading))).toContain("openOrders");
    expect(cancelsOf(bot.after(1, list))).toEqual([hashOf(7)]);
    expect(warningsOf(bot)).toEqual(["CLOCK_OFFSET", "ORDERS_ADOPTED"]);
  });

  it("does not prove that no lost order can arrive any more", () => {
    const { bot } = listedFirst({ type: "openOrders", orders: [] });
    bot.after(1, reading);
    expect(finishedOf(bot.after(1, { type: "openOrders", orders: [] }))).toEqual([]);
  });

  it("ends a stop as failed at its limit when the venue's clock cannot be read", () => {
    const { bot } = listedFirst({ type: "openOrders", orders: [] });
    bot.after(1, timeFailed);
    expect(finishedOf(bot.after(defaultTiming.stopMs - 4))).toEqual([]);
    expect(finishedOf(bot.after(1))).toEqual([
      {
        type: "finished",
        ok: false,
        reason:
          "asked to stop; own orders could not be settled within 10 s; orders that the journal lost may be open; the venue's clock is not known",
      },
    ]);
  });

  it("ends a stop when nothing is lost", () => {
    const { effects } = listedFirst({ type: "openOrders", orders: [] }, []);
    expect(finishedOf(effects)).toMatchObject([{ ok: true }]);
  });

  it("warns of no foreign orders; the first one after the reading does", () => {
    const list = listOf(tail.sinceMs - 100_000);
    const { bot } = listedFirst(list);
    expect(warningsOf(bot)).toEqual([]);
    bot.after(1, reading);
    bot.after(1, list);
    expect(warningsOf(bot)).toEqual(["CLOCK_OFFSET", "FOREIGN_ORDERS"]);
  });

  function warningsOf({ notes }: Harness): readonly string[] {
    return notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
  }
});

/** A list with one open order that the journal does not know. */
function listOf(createdAtMs: number): Input {
  return { type: "openOrders", orders: [bidReport(hashOf(7), createdAtMs)] };
}
