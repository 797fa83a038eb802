import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/kernel/effect.ts";
import type { RestoredOrder } from "../../src/orders/restored-order.ts";
import { noQuotes } from "../../src/strategy/contract.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { Harness, hashOf, market, start, unwatched } from "./harness.ts";

const DAY_MS = 86_400_000;

function saved(ageMs: number): RestoredOrder {
  return {
    orderId: hashOf(99),
    nonce: start - ageMs,
    strategy: "maker",
    marketId: market.marketId,
    side: "BUY",
    price: 1500,
    quantity: "1",
    executed: "0",
    tradeIds: [],
  };
}

/** Enough rate budget for all queries at once. */
const rate = { perSecond: 20, burst: 40, concurrency: 32 };

function idleBot(): Harness {
  return new Harness({ decide: () => noQuotes("not today"), config: { rate } });
}

function listsOf(orders: readonly RestoredOrder[]): readonly Effect[] {
  const bot = idleBot();
  bot.step({ type: "restored", restored: { nonceHighWater: start - 1, orders, carried: [] } });
  const effects = bot.step(
    { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
    { type: "stream", state: "opened", reason: "" },
  );
  return effects.filter(({ type }) => type === "openOrders" || type === "fills");
}

describe("own orders older than the venue's default span (D15)", () => {
  it("extend the lists of open orders and fills back to the oldest one", () => {
    const sinceMs = start - 40 * DAY_MS - 60_000;
    expect(listsOf([saved(40 * DAY_MS)])).toEqual([
      { type: "openOrders", sinceMs },
      { type: "fills", sinceMs },
    ]);
    // Longer than one span of §4.2: the client reads it window by window.
    expect(listsOf([saved(200 * DAY_MS)])).toContainEqual({
      type: "fills",
      sinceMs: start - 200 * DAY_MS - 60_000,
    });
  });

  it("are the only reason for a window: without one the query names none", () => {
    expect(listsOf([saved(DAY_MS)])[0]).toEqual({ type: "openOrders" });
    expect(listsOf([])).toEqual([{ type: "openOrders" }]);
  });

  it("do not have their fills listed again from the beginning after each reconnect", () => {
    const bot = idleBot();
    const orders = [saved(40 * DAY_MS)];
    bot.step({ type: "restored", restored: { nonceHighWater: start - 1, orders, carried: [] } });
    bot.step({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    bot.step({ type: "stream", state: "opened", reason: "" });
    const asked = bot.after(1_000, { type: "fills", fills: [] });
    const effects = [...bot.after(1_000, { type: "stream", state: "closed", reason: "" })];
    effects.push(...bot.after(1_000, { type: "stream", state: "opened", reason: "" }));
    expect([...asked, ...effects]).toContainEqual({ type: "fills", sinceMs: start - 60_000 });
  });
});

describe("requests outside the kernel's effects", () => {
  it("wait for a token of the same rate budget", () => {
    const bot = new Harness({
      decide: () => noQuotes("not today"),
      config: { rate: { perSecond: 1, burst: 8, concurrency: 8 }, timing: unwatched },
    });
    bot.begin();
    const turn = { type: "tokenWanted" } as const;
    // Eight tokens minus two kept for cancels and the four reads of the start.
    expect(bot.step(turn, turn, turn, turn)).toEqual([{ type: "tokens", count: 2 }]);
    expect(bot.kernel.nextDeadlineMs).toBe(start + 1_000);
    expect(bot.after(1_000)).toEqual([{ type: "tokens", count: 1 }]);
    expect(bot.after(1_000)).toEqual([{ type: "tokens", count: 1 }]);
    expect(bot.after(5_000)).toEqual([]);
  });
});

it("a warning at the start reports open orders that the journal does not know, once", () => {
  const bot = idleBot();
  bot.step();
  bot.step(
    { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
    { type: "stream", state: "opened", reason: "" },
  );
  bot.places.set(7, { marketId: market.marketId, side: "BUY", price: 1, quantity: fixed("1") });
  bot.ids.set(7, hashOf(7));
  const orders = [bot.report(7, "NEW")];
  bot.step({ type: "openOrders", orders });
  const warnings = () =>
    bot.notes.flatMap((note) => (note.type === "warning" ? [note.code, note.message] : []));
  expect(warnings()).toEqual([
    "FOREIGN_ORDERS",
    expect.stringContaining("1 open order of this account"),
  ]);
  bot.after(60_000);
  bot.step({ type: "openOrders", orders });
  expect(warnings()).toHaveLength(2);
});
