import { describe, expect, it } from "vitest";
import { Decimal } from "../../src/domain/decimal.ts";
import type { Note } from "../../src/kernel/note.ts";
import { setQuotes, type Decision } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { scripted } from "../kernel/harness.ts";
import { plainly } from "../kernel/plainly.ts";
import { liveWorld, stopped, strategiesOf } from "./live-world.ts";

/** A strategy's odd values end that strategy, never the bot and the strategies beside it. */

type Decide = (view: MarketView) => unknown;

const wake = ({ nowMs }: MarketView) => ({ wakeAtMs: nowMs + 1000 });
const bid = (more: object): Decide => {
  return (view) => ({ ...setQuotes(wake(view)), bids: [{ price: 98, size: "1", ...more }] });
};
const stop = (more: object): Decide => {
  const wanted = { name: "a", side: "SELL", size: "1", stopPrice: 90 };
  return (view) => ({ ...setQuotes(wake(view)), stops: [{ ...wanted, ...more }] });
};
const throwing = (what: unknown) => () => {
  throw what;
};
const hostile: object = new Proxy({}, { get: throwing(new Error("a trap")) });

/** What the strategy returns or throws, and the start of the fault's message. */
const faults: readonly (readonly [string, Decide, string])[] = [
  ["a price of NaN", bid({ price: Number.NaN }), "bids[0].price is NaN"],
  ["a price beyond what the venue reads", bid({ price: 1e45 }), "bids[0].price is 1e+45"],
  ["an infinite size", bid({ size: new Decimal(Infinity) }), "bids[0].size is Infinity"],
  ["a negative size", bid({ size: "-1" }), 'bids[0].size is "-1"'],
  ["a size of 10^30", bid({ size: `1${"0".repeat(30)}` }), 'bids[0].size is "1000000'],
  ["a size of 10^9999999", bid({ size: new Decimal("1e9999999") }), "bids[0].size is 1e+9999999"],
  [
    "a take profit of 1e45",
    bid({ tpsl: { takeProfit: 1e45, stopLoss: 50 } }),
    "bids[0].tpsl.takeProfit is 1e+45",
  ],
  [
    "a stop price of 1e45",
    stop({ kind: "take-profit", stopPrice: 1e45 }),
    'stopPrice of stop "a" is 1e+45',
  ],
  ["a stop's side in lower case", stop({ side: "buy" }), 'side of stop "a" is "buy"'],
  [
    "a stop's limit below every price",
    stop({ price: 1e-12, side: "BUY", kind: "take-profit" }),
    'price of stop "a" is 1e-12',
  ],
  [
    "a million quotes",
    (view) =>
      setQuotes({
        bids: Array.from({ length: 1_000_000 }, () => ({ price: 98, size: "1" })),
        ...wake(view),
      }),
    "bids has 1000000 entries, more than 500",
  ],
  [
    "a Promise",
    () => Promise.resolve(setQuotes({})),
    "decide returned a Promise; it must be synchronous",
  ],
  [
    "a Promise that rejects",
    () => Promise.reject(new Error("later")),
    "decide returned a Promise; it must be synchronous",
  ],
  ["nothing", () => undefined, "decide returned undefined, not a decision"],
  ["a thrown error", throwing(new Error("boom")), "boom"],
  ["a thrown object without a text", throwing(Object.create(null)), "decide threw"],
  ["a thrown proxy", throwing(hostile), "decide threw"],
  ["a decision that throws when it is read", () => hostile, "a trap"],
  [
    "a decision that throws when it is read again",
    () => {
      let reads = 0;
      return {
        ...setQuotes({}),
        get type() {
          reads += 1;
          if (reads > 1) throw new Error("read twice");
          return "set";
        },
        bids: [{ price: Number.NaN, size: "1" }],
      };
    },
    "read twice",
  ],
];

async function beside(decide: Decide, prices: Readonly<Record<string, number>> = { "1_2": 100 }) {
  const world = await liveWorld(4, { prices });
  const definition = scripted((view): Decision => plainly(decide(view)));
  const strategies = strategiesOf([{ name: "odd", definition }, { name: "sane" }]);
  const bot = await world.start({ strategies });
  const notes: Note[] = [];
  bot.observers.on((entry) => notes.push(...entry.notes));
  await world.clock.runFor(15_000);
  const messages = notes.flatMap((note) =>
    note.type === "strategyFault" ? [`${note.strategy}: ${note.message}`] : [],
  );
  const placed = (name: string) =>
    notes.flatMap((note) =>
      note.type === "order" && note.strategy === name && note.before === undefined
        ? [note.order]
        : [],
    );
  return { world, bot, messages, placed };
}

describe("a strategy's odd values", () => {
  it.each(faults)("end that strategy alone: %s", async (_, decide, message) => {
    const { world, bot, messages, placed } = await beside(decide);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.startsWith(`odd: ${message}`), messages[0]).toBe(true);
    expect(placed("odd")).toEqual([]);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
  });

  it("are cut down to the lot when they are sizes with more decimals than the venue takes", async () => {
    const sizes: string[] = [];
    const { world, bot, messages, placed } = await beside(
      (view) => {
        const mid = view.book.mid ?? 0;
        const size = String(5 / (mid * 7));
        sizes.push(size);
        return setQuotes({
          bids: [{ price: mid * 0.98, size }],
          asks: [{ price: mid * 1.02, size: new Decimal(mid).div(30_000) }],
          sizeTolerance: 0.01,
          tolerance: 0.001,
          ...wake(view),
        });
      },
      { "1_2": 600 },
    );
    expect(sizes[0]?.length).toBeGreaterThan(20);
    expect(messages).toEqual([]);
    expect(placed("odd").length).toBeGreaterThan(1);
    for (const { quantity } of placed("odd")) expect(quantity % 10n ** 8n).toBe(0n);
    expect(await stopped(world, bot)).toMatchObject({ ok: true, summary: { ordersLeft: 0 } });
  });

  it("wait for years when they are a wake-up time", async () => {
    const { world, bot, messages } = await beside((view) => ({
      ...setQuotes({ bids: [{ price: 98, size: "1" }] }),
      wakeAtMs: view.nowMs + 1e11,
    }));
    expect(messages).toEqual([]);
    expect(world.openOrders(bot)).toHaveLength(5);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});

describe("an init that fails", () => {
  it.each([
    [
      "throws",
      () => {
        throw new Error("no state");
      },
      "no state",
    ],
    ["returns a Promise", () => Promise.resolve({}), "init returned a Promise"],
  ])("ends its strategy alone: it %s", async (_, init, message) => {
    const world = await liveWorld(4);
    const definition = { ...scripted(() => setQuotes({})), init };
    const strategies = strategiesOf([{ name: "odd", definition }, { name: "sane" }]);
    const bot = await world.start({ strategies });
    const notes: Note[] = [];
    bot.observers.on((entry) => notes.push(...entry.notes));
    await world.clock.runFor(10_000);
    expect(notes.filter(({ type }) => type === "strategyFault")).toMatchObject([
      { strategy: "odd", message: expect.stringContaining(message) },
    ]);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  });
});
