import { describe, expect, it } from "vitest";
import type { KernelConfig } from "../../src/kernel/config.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelCommandsOf, cancelsOf, Harness, hashOf, placesOf } from "./harness.ts";

/** A bot that wants one bid of 2 at `price.bid`, and an ask of 2 at `price.ask` when it has one. Its first bid has intent 1. */
function wanting(price: { bid: number; ask?: number }, more: Partial<KernelConfig> = {}) {
  const bot = new Harness({
    decide: () =>
      setQuotes({
        bids: [{ price: price.bid, size: "2" }],
        asks: price.ask === undefined ? [] : [{ price: price.ask, size: "2" }],
      }),
    config: more,
  });
  bot.begin();
  return bot;
}

/** The same with a bid that the venue shows open. */
function quoting(price: { bid: number; ask?: number }, more?: Partial<KernelConfig>): Harness {
  const bot = wanting(price, more);
  bot.after(10, bot.accepted(1), bot.event(1, "NEW"));
  return bot;
}

const room = (maxPosition: string) => ({ risk: riskSchema.parse({ maxPosition }) });

describe("a placement without an answer for a second", () => {
  it("makes its order suspect: it is queried and canceled by its id, and its quote gets another order at once", () => {
    const bot = wanting({ bid: 1990 });
    expect(bot.after(999)).toEqual([]);
    const effects = bot.after(1);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    expect(placesOf(effects)).toMatchObject([{ price: 1990 }]);
    expect(effects).toContainEqual({ type: "order", orderId: hashOf(1) });
  });

  it("counts in every limit, since its order may be open", () => {
    const bot = wanting({ bid: 1990 }, room("3"));
    const effects = bot.after(1_000);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    expect(placesOf(effects)).toEqual([]);
    expect(placesOf(bot.after(10, bot.event(1, "CANCELED")))).toHaveLength(1);
  });

  it("blocks no quote of the other side", () => {
    const price: { bid: number; ask?: number } = { bid: 1990 };
    const bot = wanting(price, room("3"));
    bot.after(1_000);
    Object.assign(price, { bid: 1980, ask: 1989.5 });
    const effects = bot.after(10, bot.depth(101, [1999, 0, 1985, 5], [2001, 0, 1986, 5]));
    expect(placesOf(effects)).toContainEqual(
      expect.objectContaining({ side: "SELL", price: 1989.5 }),
    );
  });

  it("counts no more once it is refused late", () => {
    const bot = wanting({ bid: 1990 }, room("3"));
    bot.after(1_000);
    const outcome = { type: "not-sent", message: "no connection" } as const;
    const effects = bot.after(1_000, { type: "response", intent: 1, outcome });
    expect(bot.kernel.sizes["live"]).toBe(placesOf(effects).length);
    expect(bot.kernel.sizes["ended"]).toBe(1);
  });

  it("is answered late all the same: the order counts as the answer says", () => {
    const bot = wanting({ bid: 1990 });
    const [again] = placesOf(bot.after(1_000));
    bot.after(10, bot.event(1, "NEW"), bot.event(1, "CANCELED"), bot.accepted(again?.intent ?? 0));
    expect(bot.kernel.sizes["live"]).toBe(1);
  });
});

describe("a cancel without an answer for 0.6 seconds", () => {
  it("is sent again, again and again, and a new plan is made at once", () => {
    const price = { bid: 1990 };
    const bot = quoting(price);
    price.bid = 1980;
    const [first] = cancelCommandsOf(bot.after(10, bot.depth(101, [1999, 6], [])));
    expect(first).toMatchObject({ orderId: hashOf(1) });
    const placed = [...bot.ids.keys()].at(-1) ?? 0;
    bot.after(100, bot.accepted(placed), bot.event(placed, "NEW"));
    expect(cancelsOf(bot.after(499))).toEqual([]);
    const [second] = cancelCommandsOf(bot.after(1));
    expect(second).toMatchObject({ orderId: hashOf(1) });
    expect(second?.nonce).not.toBe(first?.nonce);
    expect(cancelsOf(bot.after(600))).toEqual([hashOf(1)]);
    // The answer to the first one ends it.
    bot.after(10, bot.accepted(first?.intent ?? 0), bot.event(1, "CANCELED"));
    expect(cancelsOf(bot.after(2_000))).toEqual([]);
  });

  it("is sent again also while there is no book, and after a plan that counted on it", () => {
    const price = { bid: 1990 };
    const bot = quoting(price);
    price.bid = 1980;
    expect(cancelsOf(bot.after(10, bot.depth(101, [1999, 6], [])))).toEqual([hashOf(1)]);
    const placed = [...bot.ids.keys()].at(-1) ?? 0;
    bot.after(100, bot.accepted(placed), bot.event(placed, "NEW"));
    expect(cancelsOf(bot.after(300, bot.depth(102, [1999, 7], [])))).toEqual([]);
    bot.step({ type: "stream", state: "closed", reason: "cut" });
    expect(cancelsOf(bot.after(200))).toEqual([hashOf(1)]);
  });

  it("is sent again without a book, and orders within tolerance stay", () => {
    const price = { bid: 1990, ask: 2010 };
    const bot = new Harness({
      decide: () =>
        setQuotes({
          bids: [{ price: price.bid, size: "2" }],
          asks: [{ price: price.ask, size: "2" }],
          tolerance: 0.01,
        }),
    });
    bot.begin();
    bot.after(10, bot.accepted(1), bot.event(1, "NEW"), bot.accepted(2), bot.event(2, "NEW"));
    Object.assign(price, { bid: 1985, ask: 2100 });
    expect(cancelsOf(bot.after(10, bot.depth(101, [1999, 6], [])))).toEqual([hashOf(2)]);
    const placed = [...bot.ids.keys()].at(-1) ?? 0;
    bot.after(100, bot.accepted(placed), bot.event(placed, "NEW"));
    bot.step({ type: "stream", state: "closed", reason: "cut" });
    expect(cancelsOf(bot.after(500))).toEqual([hashOf(2)]);
  });
});

it("a cancel that was accepted is sent again once the venue shows its order open after a second: it may have come before its order", () => {
  const price = { bid: 1990 };
  const bot = quoting(price);
  price.bid = 1980;
  const [first] = cancelCommandsOf(bot.after(10, bot.depth(101, [1999, 6], [])));
  bot.after(10, bot.accepted(first?.intent ?? 0));
  const shown = { type: "order", orderId: hashOf(1), report: bot.report(1, "NEW") } as const;
  let effects = bot.after(10);
  let waitedMs = 10;
  while (!cancelsOf(effects).includes(hashOf(1)) && waitedMs < 2_000) {
    const isAsked = effects.some(
      (effect) => effect.type === "order" && effect.orderId === hashOf(1),
    );
    effects = isAsked ? bot.after(10, shown) : bot.after(10);
    waitedMs += 10;
  }
  expect(waitedMs).toBe(1_010);
});

it("an order in doubt that the venue does not know is canceled ever less often, so that its cancels leave room for others", () => {
  const bot = wanting({ bid: 1990 }, room("3"));
  let cancels = cancelCommandsOf(bot.after(1_000));
  const sentMs: number[] = [];
  for (let at = 0; at < 60_000; at += 100) {
    for (const { intent } of cancels) {
      sentMs.push(at);
      const outcome = {
        type: "refused",
        reason: "invalid",
        message: "no such order",
        retryAfterMs: undefined,
      } as const;
      bot.after(0, { type: "response", intent, outcome });
    }
    cancels = cancelCommandsOf(bot.after(100));
  }
  expect(sentMs.length).toBeGreaterThan(5);
  expect(sentMs.length).toBeLessThan(15);
  expect(sentMs[1]).toBeLessThanOrEqual(2_100);
});

describe("a stop that keeps the orders", () => {
  const keep = { type: "operator", command: "stop", keepsOrders: true } as const;

  it.each([
    ["a stop", { type: "operator", command: "stop" } as const],
    ["a halt", { type: "operator", command: "halt", reason: "r" } as const],
  ])("cancels them after all by %s, also when the last list comes with it", (_, input) => {
    const bot = quoting({ bid: 1990 });
    bot.after(10, keep);
    const list = { type: "openOrders", orders: [bot.report(1, "NEW")] } as const;
    const effects = bot.after(1_000, input, list);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    expect(effects.filter(({ type }) => type === "finished")).toEqual([]);
  });
});

describe("an order that fits no target", () => {
  it("is canceled although its replacement is denied", () => {
    const price = { bid: 1990 };
    const bot = quoting(price, room("2"));
    // A nearer bid is no danger behind a farther one, so the cancel would follow the placement.
    price.bid = 1995;
    const effects = bot.after(10, bot.depth(101, [1999, 6], []));
    expect(placesOf(effects)).toEqual([]);
    expect(cancelsOf(effects)).toEqual([hashOf(1)]);
    expect(placesOf(bot.after(10, bot.event(1, "CANCELED")))).toMatchObject([{ price: 1995 }]);
  });
});
