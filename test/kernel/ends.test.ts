import { describe, expect, it } from "vitest";
import type { OrderReport } from "../../src/domain/order.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, placesOf } from "./harness.ts";

/** A bot with one bid of 2 at 1990, which the venue shows open. */
function quoting() {
  const bot = new Harness({
    config: { timing: { ...defaultTiming, inFlightMs: 5 } },
    decide: () => setQuotes({ bids: [{ price: 1990, size: "2" }] }),
  });
  const [placed] = placesOf(bot.begin());
  if (placed === undefined) throw new Error("no quote");
  const { intent } = placed;
  bot.after(10, bot.accepted(intent), bot.event(intent, "NEW"));
  const { orderId } = bot.report(intent, "NEW");
  /** The stream breaks, so the open orders are listed. */
  const listed = (orders: readonly OrderReport[]): readonly Effect[] => {
    bot.after(10, { type: "stream", state: "closed", reason: "" });
    const reads = bot.after(10, { type: "stream", state: "opened", reason: "" });
    expect(reads.map(({ type }) => type)).toContain("openOrders");
    return bot.after(10, { type: "openOrders", orders });
  };
  return { bot, intent, orderId, listed };
}

function codesOf(bot: Harness): string[] {
  return bot.notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
}

describe("an order that an event ends", () => {
  it("is final: nothing is queried, and its quote is placed anew", () => {
    const { bot, intent } = quoting();
    const effects = bot.after(10, bot.event(intent, "CANCELED"));
    expect(placesOf(effects)).toHaveLength(1);
    expect([...effects, ...bot.after(900)].map(({ type }) => type)).not.toContain("order");
  });

  it("counts again when the next list shows it, is adopted by the journal, and canceled where its quote has another", () => {
    const { bot, intent, orderId, listed } = quoting();
    const [again] = placesOf(bot.after(10, bot.event(intent, "CANCELED")));
    if (again === undefined) throw new Error("no quote");
    bot.after(10, bot.accepted(again.intent), bot.event(again.intent, "NEW"));
    const effects = listed([bot.report(intent, "NEW"), bot.report(again.intent, "NEW")]);
    expect(effects).toContainEqual(
      expect.objectContaining({ type: "adopt", order: expect.objectContaining({ orderId }) }),
    );
    expect(bot.kernel.sizes["live"]).toBe(2);
    const later = bot.after(10, bot.snapshot(1999, 2001, 200));
    expect(cancelsOf([...effects, ...later])).toHaveLength(1);
  });
});

describe("an acknowledged order that the venue does not show", () => {
  it("is gone after two lists and a query by id, not before", () => {
    const { bot, orderId, listed } = quoting();
    const states = (): unknown[] =>
      bot.notes.flatMap((note) =>
        note.type === "order" && note.order.orderId === orderId ? [note.order.status] : [],
      );
    const asked = listed([]);
    expect(asked).toContainEqual({ type: "order", orderId });
    bot.after(10, { type: "order", orderId, report: "absent" });
    expect(states().at(-1)).toBe("NEW");
    expect(bot.after(1_000).map(({ type }) => type)).toContain("openOrders");
    bot.after(10, { type: "openOrders", orders: [] });
    expect(states().at(-1)).toBe("LOST");
    expect(codesOf(bot)).toEqual(expect.arrayContaining(["ORDER_VANISHED", "ORDER_LOST"]));
  });

  it("stays when a later list shows it", () => {
    const { bot, intent, orderId, listed } = quoting();
    listed([]);
    bot.after(10, { type: "order", orderId, report: "absent" });
    bot.after(1_000);
    bot.after(10, { type: "openOrders", orders: [bot.report(intent, "NEW")] });
    expect(codesOf(bot)).not.toContain("ORDER_LOST");
    expect(bot.kernel.sizes["live"]).toBe(1);
  });
});
