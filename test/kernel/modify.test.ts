import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderStatus } from "../../src/domain/order.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { defaultTiming, type KernelConfig } from "../../src/kernel/config.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, modifiesOf, placesOf, unwatched } from "./harness.ts";

/** A strategy that quotes at `offset` from the mid and decides at every change of the book. */
function maker(config: Partial<KernelConfig> = {}, levels = 1): Harness {
  return new Harness({
    decide: (view) => {
      const mid = view.book.mid ?? 0;
      const offsets = Array.from({ length: levels }, (_, level) => 2 + level);
      return setQuotes({
        bids: offsets.map((offset) => ({ price: mid - offset, size: "1" })),
        asks: offsets.map((offset) => ({ price: mid + offset, size: "1" })),
      });
    },
    config: { useModify: true, timing: unwatched, ...config },
  });
}

/** A bot with acknowledged quotes at 1998 and 2002, and `levels` more behind each. */
function quoting(config: Partial<KernelConfig> = {}, levels = 1): Harness {
  const bot = maker(config, levels);
  const placed = placesOf(bot.begin());
  expect(placed).toHaveLength(2 * levels);
  for (const { intent } of placed) {
    bot.step(bot.accepted(intent));
    bot.step(bot.event(intent, "NEW"));
  }
  return bot;
}

/** Moves the market's touch from 1 around one mid to 1 around another. */
function moved(bot: Harness, id: number, from: number, to: number): readonly Effect[] {
  return bot.after(2_000, bot.depth(id, [to - 1, 5, from - 1, 0], [to + 1, 5, from + 1, 0]));
}

function warnings(bot: Harness): string[] {
  return bot.notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
}

describe("quotes moved by modify", () => {
  it("take one command each, exposed ones first, with the notes of a cancel and a placement", () => {
    const bot = quoting();
    const before = bot.notes.length;
    const effects = moved(bot, 101, 2000, 2001);
    // After the plan's own note; the next four inputs report that they were signed.
    const changed = bot.notes.slice(before, before + 5);
    expect(modifiesOf(effects)).toEqual(["2 → 2003", "1 → 1999"]);
    expect(effects.map(({ type }) => type)).toEqual(["modify", "modify"]);
    expect(effects[1]).toMatchObject({ marketId: "1_2", side: "BUY", newQty: fixed("1") });
    const orders = changed.flatMap((note) => (note.type === "order" ? [note.order] : []));
    expect(orders).toMatchObject([
      { intent: 3, state: "sent", side: "SELL", origin: "modify" },
      { intent: 2, state: "canceling", orderId: hashOf(2), wasCanceled: true, reason: "price" },
      { intent: 4, state: "sent", side: "BUY", origin: "modify" },
      { intent: 1, state: "canceling", orderId: hashOf(1), wasCanceled: true, reason: "price" },
    ]);
  });

  it("are off by default", () => {
    const bot = quoting({ useModify: false });
    const effects = moved(bot, 101, 2000, 2001);
    expect(modifiesOf(effects)).toEqual([]);
    expect(cancelsOf(effects)).toEqual([hashOf(2), hashOf(1)]);
    expect(placesOf(effects).map(({ price }) => price)).toEqual([1999, 2003]);
  });

  it("make no order for a quote that may only be kept", () => {
    let price = 1998;
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price, size: "1", place: price === 1998 }] }),
      config: { useModify: true },
    });
    const [placed] = placesOf(bot.begin());
    bot.step(bot.accepted(placed?.intent ?? 0));
    bot.step(bot.event(placed?.intent ?? 0, "NEW"));
    price = 1997;
    const effects = bot.after(2_000, bot.depth(101, [1990, 6], []));
    expect(modifiesOf(effects)).toEqual([]);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
  });

  it("are not used for an order with a fill", () => {
    const bot = quoting();
    bot.step(bot.event(1, "PARTIALLY_FILLED", { quantity: "0.4", tradeId: "t1" }));
    const effects = moved(bot, 101, 2000, 2001);
    expect(modifiesOf(effects)).toContain("2 → 2003");
    expect(modifiesOf(effects)).toHaveLength(1);
  });

  it("are not used for a replacement before its size was read back", () => {
    const bot = quoting();
    moved(bot, 101, 2000, 2001);
    bot.step(bot.accepted(3), bot.accepted(4), bot.event(1, "CANCELED"), bot.event(2, "CANCELED"));
    bot.step(bot.event(3, "NEW"));
    const effects = moved(bot, 102, 2001, 2002);
    expect(modifiesOf(effects)).toEqual(["3 → 2004"]);
    expect(cancelsOf(effects)).toEqual([hashOf(4)]);
    expect(placesOf(effects).map(({ price }) => price)).toEqual([2000]);
  });

  it("are not used for an order that the venue, queried by id, does not know any more", () => {
    const bot = quoting({ timing: { ...defaultTiming, reconcileMs: 1_000, inFlightMs: 500 } });
    const listing = bot.after(1_000);
    expect(listing.map(({ type }) => type)).toContain("openOrders");
    bot.after(10, { type: "openOrders", orders: [bot.report(2, "NEW")] });
    bot.after(10, { type: "order", orderId: hashOf(1), report: "absent" });
    expect(warnings(bot)).toEqual(["ORDER_VANISHED"]);
    const effects = moved(bot, 101, 2000, 2001);
    expect(modifiesOf(effects)).toEqual(["2 → 2003"]);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    expect(placesOf(effects).map(({ price }) => price)).toEqual([1999]);
    expect(bot.notes.filter((note) => note.type === "denied")).toEqual([]);
  });

  it("become a cancel where our own order crosses the new price, and a placement once it is gone", () => {
    const bot = quoting();
    const effects = moved(bot, 101, 2000, 2010);
    expect(modifiesOf(effects)).toEqual(["2 → 2012"]);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    const after = bot.after(10, bot.accepted(3), bot.event(2, "CANCELED"), bot.event(3, "NEW"));
    expect(placesOf(after).map(({ price }) => price)).toEqual([2008]);
    expect(bot.notes.filter((note) => note.type === "denied")).toEqual([]);
  });

  it("end once the venue makes a different order than requested", () => {
    const bot = quoting();
    moved(bot, 101, 2000, 2001);
    bot.step(bot.accepted(3), bot.event(2, "CANCELED"));
    const other = bot.event(3, "NEW");
    if (other.type !== "orderEvent") throw new Error("an event");
    const { event } = other;
    const order = { ...event.order, origQty: fixed("2") };
    const effects = bot.step({ type: "orderEvent", event: { ...event, order } });
    expect(warnings(bot)).toEqual(["MODIFY_DIFFERS", "MODIFY_OFF"]);
    // The order is twice as large as requested.
    expect(cancelsOf(effects)).toEqual([hashOf(3)]);
    bot.step(bot.accepted(4), bot.event(1, "CANCELED"), bot.event(4, "NEW"));
    expect(modifiesOf(moved(bot, 102, 2001, 2002))).toEqual([]);
  });

  it("cause no cool-down when refused, and end after three refusals in a row", () => {
    const bot = quoting();
    const no = (intent: number) =>
      ({
        type: "response",
        intent,
        outcome: { type: "refused", reason: "invalid", message: "no", retryAfterMs: undefined },
      }) as const;
    const open = (intent: number) =>
      ({ type: "order", orderId: hashOf(intent), report: bot.report(intent, "NEW") }) as const;
    moved(bot, 101, 2000, 2001);
    const queried = bot.after(10, no(3), no(4));
    expect(queried.filter(({ type }) => type === "order")).toHaveLength(2);
    bot.after(10, open(1), open(2));
    expect(bot.notes.filter((note) => note.type === "order" && note.order.isRejected)).toEqual([]);
    expect(warnings(bot)).toEqual([]);
    const again = moved(bot, 102, 2001, 2002);
    const [modify] = again.flatMap((effect) => (effect.type === "modify" ? [effect] : []));
    if (modify === undefined) throw new Error("no modify");
    bot.after(10, no(modify.intent));
    // The original has ended without a fill.
    bot.after(10, bot.event(Number(modify.orderId), "CANCELED"));
    expect(warnings(bot)).toEqual(["MODIFY_OFF"]);
  });

  it("continue when refusals by races with fills are not in a row", () => {
    const bot = quoting();
    const no = (intent: number) =>
      ({
        type: "response",
        intent,
        outcome: {
          type: "refused",
          reason: "invalid",
          message: "it is FILLED",
          retryAfterMs: undefined,
        },
      }) as const;
    let [bid, ask] = [1, 2];
    for (let round = 0; round < 4; round += 1) {
      const effects = moved(bot, 101 + round, 2000 + round, 2001 + round);
      const made = effects.flatMap((effect) => (effect.type === "modify" ? [effect] : []));
      const [sell, buy] = made;
      if (sell === undefined || buy === undefined) throw new Error("both move");
      // The ask's modify succeeds, and its event precedes the response. The bid was filled before its modify arrived.
      bot.step(bot.event(ask, "CANCELED"), bot.event(sell.intent, "NEW"));
      bot.step(bot.accepted(sell.intent));
      const fill = { quantity: "1", tradeId: `t${round}` };
      const after = bot.step(bot.event(bid, "FILLED", fill), no(buy.intent));
      const placed = [...after, ...bot.after(100)].flatMap((effect) =>
        effect.type === "place" ? [effect.intent] : [],
      );
      bid = placed[0] ?? 0;
      ask = sell.intent;
      bot.step(bot.accepted(bid), bot.event(bid, "NEW"));
    }
    expect(warnings(bot)).toEqual([]);
  });

  describe("that are refused", () => {
    type Quotes = readonly [bid: number, ask: number];

    /** Both quotes move by modifies, and the venue refuses both and says what became of the originals. Returns the intents of the next quotes. */
    function refused(
      bot: Harness,
      round: number,
      [bid, ask]: Quotes,
      fate: (intent: number) => Input,
    ): Quotes {
      const effects = moved(bot, 101 + round, 2000 + round, 2001 + round);
      const expected = [`${ask} → ${2003 + round}`, `${bid} → ${1999 + round}`];
      expect(modifiesOf(effects)).toEqual(expected);
      const intents = effects.flatMap((one) => (one.type === "modify" ? [one.intent] : []));
      const placed = placesOf([
        ...bot.after(1, ...intents.map(refusal)),
        ...bot.after(1, fate(bid), fate(ask)),
      ]);
      for (const { intent } of placed) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
      const of = (side: "BUY" | "SELL") => placed.find((place) => place.side === side)?.intent ?? 0;
      return [of("BUY"), of("SELL")];
    }

    const refusal = (intent: number) =>
      ({
        type: "response",
        intent,
        outcome: { type: "refused", reason: "invalid", message: "no", retryAfterMs: undefined },
      }) as const;

    const told = (bot: Harness, intent: number, status: OrderStatus, executed: string): Input => ({
      type: "order",
      orderId: hashOf(intent),
      report: bot.report(intent, status, executed),
    });

    const filled = (bot: Harness, intent: number): Input =>
      bot.event(intent, "FILLED", { quantity: "1", tradeId: `t${intent}` });

    /** Lists of fills and balances stay open in these tests, and queries need slots beside them. */
    const excusing: Partial<KernelConfig> = {
      rate: { perSecond: 20, burst: 40, concurrency: 32 },
    };

    it("do not count when an event shows afterwards that the original was filled", () => {
      const bot = quoting(excusing);
      let quotes: Quotes = [1, 2];
      for (let round = 0; round < 4; round += 1) {
        quotes = refused(bot, round, quotes, (intent) => filled(bot, intent));
      }
      expect(warnings(bot)).toEqual([]);
      expect(bot.kernel.sizes.refusedModifies).toBe(0);
    });

    it("do not count when a query shows afterwards that the original was filled", () => {
      const bot = quoting(excusing);
      let quotes: Quotes = [1, 2];
      for (let round = 0; round < 4; round += 1) {
        quotes = refused(bot, round, quotes, (intent) => told(bot, intent, "FILLED", "1"));
      }
      expect(warnings(bot)).toEqual([]);
      expect(bot.kernel.sizes.refusedModifies).toBe(0);
    });

    it("count once the original has ended without a fill, or is open", () => {
      const bot = quoting(excusing);
      const canceled = (intent: number) => bot.event(intent, "CANCELED");
      const quotes = refused(bot, 0, [1, 2], canceled);
      expect(warnings(bot)).toEqual([]);
      refused(bot, 1, quotes, (intent) => told(bot, intent, "NEW", "0"));
      expect(warnings(bot)).toEqual(["MODIFY_OFF"]);
    });
  });

  it("become a cancel followed by a placement when risk has no room for both orders", () => {
    const bot = quoting({ risk: { ...defaultRisk, maxOpenOrders: 2 } });
    const effects = moved(bot, 101, 2000, 2001);
    expect(modifiesOf(effects)).toEqual([]);
    expect(cancelsOf(effects)).toEqual([hashOf(2), hashOf(1)]);
    expect(placesOf(effects)).toEqual([]);
    const after = bot.after(10, bot.event(2, "CANCELED"), bot.event(1, "CANCELED"));
    expect(placesOf(after).map(({ price }) => price)).toEqual([1999, 2003]);
    expect(bot.notes.filter((note) => note.type === "denied")).toEqual([]);
  });
});

describe("when the rate budget is short", () => {
  for (const useModify of [true, false]) {
    it(`exposed quotes are canceled at once, the others stay until their replacements are sent (modify: ${useModify})`, () => {
      // Four reads and four quotes have used tokens. The two tokens left are reserved for cancels.
      const rate = { perSecond: 1, burst: 10, concurrency: 8, cancelShare: 0.2 };
      const bot = quoting({ useModify, rate }, 2);
      const effects = bot.step(bot.depth(101, [2000, 5, 1999, 0], [2002, 5, 2001, 0]));
      // Asks at 2002 and 2003 are too near to the mid of 2001; bids at 1998 and 1997 are only too far from it.
      expect(cancelsOf(effects)).toEqual([hashOf(2)]);
      expect(modifiesOf(effects)).toEqual([]);
      expect(placesOf(effects)).toEqual([]);
    });
  }
});
