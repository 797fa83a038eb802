import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addFixed, fixed, fixedText, subFixed, ZERO } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Fill } from "../../src/domain/order.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { OrderLedger } from "../../src/journal/order-ledger.ts";
import { ownFills } from "../../src/journal/own-fills.ts";
import { restore } from "../../src/journal/restore.ts";
import type { Input } from "../../src/kernel/input.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { headerOf } from "./journal-fixture.ts";
import { hashOf, market } from "../kernel/harness.ts";
import { eventOf, fillOf, next, quoting, reportOf, Run, size } from "./killed-run.ts";

/** What the journal keeps when the kernel doubts what the venue says. */

/** An event of the bid's first trade, of 1, as a venue tells it that says something else about the trade. */
function doubted(id: OrderId, more: Partial<Fill> = { price: fixed("1000000") }): Input {
  const order = reportOf(id, { status: "PARTIALLY_FILLED", executedQty: fixed("1") });
  return eventOf(order, fillOf(id, "t1", "1", more));
}

describe("a fill that is not believed", () => {
  it("is no fill of the order for the next run, which books it once when the list of fills has it", () => {
    const { run, id } = quoting();
    run.bot.after(10, doubted(id));
    expect(run.booked()).toEqual([]);
    expect(run.saved(id)).toEqual({ executed: "0", tradeIds: [] });
    const second = next(run);
    second.bot.after(10, doubted(id));
    second.list([fillOf(id, "t1", "1")]);
    expect(second.booked()).toEqual([fillOf(id, "t1", "1")]);
    const third = next(second);
    expect(third.saved(id)).toEqual({ executed: "1", tradeIds: ["t1"] });
    third.bot.after(10, doubted(id, {}));
    expect(third.booked()).toEqual([]);
    expect(third.bot.kernel.positions[0]?.position.base).toBe(fixed("1"));
  });

  it("counted as one in journals of versions that do not name it", () => {
    const { run, id } = quoting({ journalsDoubts: false });
    run.bot.after(10, doubted(id));
    expect(run.saved(id)).toEqual({ executed: "1", tradeIds: ["t1"] });
    expect(run.entries.flatMap(({ effects }) => effects.map(({ type }) => type))).not.toContain(
      "disbelieve",
    );
  });

  it("and comes again as it was in the same batch counts once, in either order", () => {
    for (const isFirst of [true, false]) {
      const { run, id } = quoting();
      const shapes = [doubted(id), doubted(id, {})];
      run.bot.after(10, ...(isFirst ? shapes : shapes.toReversed()));
      expect(run.booked()).toEqual([fillOf(id, "t1", "1")]);
      expect(run.saved(id)).toEqual({ executed: "1", tradeIds: ["t1"] });
      expect([...ownFills(run.entries)].map(({ fill }) => fill)).toEqual(run.booked());
    }
  });

  it("and that a list repeats counts as it is booked: at the limit, of what was left, with the market's fee", () => {
    const { run, id } = quoting();
    const lie = { price: fixed("1000000"), quantity: fixed("5"), fee: fixed("260000") };
    run.bot.after(10, doubted(id, lie));
    run.list([fillOf(id, "t1", "1", lie)]);
    expect(run.booked()).toMatchObject([{ price: fixed("1990"), quantity: fixed("1") }]);
    expect([...ownFills(run.entries)].map(({ fill }) => fill)).toEqual(run.booked());
    expect(run.saved(id)).toEqual({ executed: "1", tradeIds: ["t1"] });
  });

  it("since two fills of one list are more than the order, stays left out when it is listed again", () => {
    const { run, id } = quoting();
    run.bot.after(10, doubted(id));
    const fills = [fillOf(id, "t1", "1.5"), fillOf(id, "t2", "1")];
    run.list(fills);
    expect(run.booked()).toEqual(fills.slice(0, 1));
    expect(run.saved(id)).toEqual({ executed: "1.5", tradeIds: ["t1"] });
    run.bot.after(10, doubted(id, { tradeId: "t3" }));
    run.list(fills);
    expect(run.booked()).toEqual(fills.slice(0, 1));
    expect(run.saved(id)).toEqual({ executed: "1.5", tradeIds: ["t1"] });
    expect([...ownFills(run.entries)].map(({ fill }) => fill)).toEqual(run.booked());
  });
});

describe("an order that ends with a fill that is not believed, and with nothing executed", () => {
  const price = fixed("1000000");
  const lastWord = (id: OrderId): Input =>
    eventOf(reportOf(id, { status: "CANCELED" }), fillOf(id, "t1", "1", { price }));
  const absent = { executed: "0", tradeIds: [] };
  /** The bot queries an order that ended unasked, and the venue confirms the end. */
  const confirm = (run: Run, id: OrderId, executed = "0"): void => {
    const report = reportOf(id, { status: "CANCELED", executedQty: fixed(executed) });
    run.bot.after(1_000);
    run.bot.after(10, { type: "order", orderId: id, report });
  };

  it("is kept for the next run, which books the fill when the list of fills has it", () => {
    const { run, id } = quoting();
    run.bot.after(10, lastWord(id));
    expect(run.saved(id)).toEqual(absent);
    const second = next(run);
    second.bot.after(10, {
      type: "order",
      orderId: id,
      report: reportOf(id, { status: "CANCELED" }),
    });
    expect(second.saved(id)).toEqual(absent);
    const third = next(second);
    third.bot.after(10, {
      type: "order",
      orderId: id,
      report: reportOf(id, { status: "CANCELED" }),
    });
    third.list([fillOf(id, "t1", "1")]);
    expect(third.booked()).toEqual([fillOf(id, "t1", "1")]);
    expect(third.saved(id)).toBeUndefined();
  });

  it("is kept for the next run until the last page of a long list of fills has come", () => {
    const { run, id } = quoting();
    run.bot.after(10, lastWord(id));
    confirm(run, id);
    run.list([], { isPart: true });
    expect(run.saved(id)).toEqual(absent);
    run.bot.after(10, { type: "fills", fills: [] });
    expect(run.saved(id)).toBeUndefined();
  });

  it("has its fills listed by the next run although its end is known before the stream opens", () => {
    const { run, id } = quoting();
    run.bot.after(10, lastWord(id));
    const orders = run.restored().orders.filter(({ orderId }) => orderId === id);
    const restored = { ...run.restored(), orders };
    const second = new Run(restored, false);
    second.bot.nowMs += 600_000;
    second.bot.step({ type: "restored", restored });
    second.bot.after(3_000);
    const report = reportOf(id, { status: "CANCELED" });
    second.bot.after(10, { type: "order", orderId: id, report });
    expect(second.bot.kernel.sizes["live"]).toBe(0);
    second.bot.begin();
    const reads = second.entries.flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.type === "fills" ? [effect.sinceMs] : [])),
    );
    expect(reads.length).toBeGreaterThan(0);
    expect(Math.max(...reads)).toBeLessThan(orders[0]?.nonce ?? 0);
    second.bot.after(10, { type: "fills", fills: [fillOf(id, "t1", "1")] });
    expect(second.booked()).toEqual([fillOf(id, "t1", "1")]);
    expect(second.saved(id)).toBeUndefined();
  });

  it("is kept also when the end follows in an event of its own", () => {
    const { run, id } = quoting();
    const order = reportOf(id);
    run.bot.after(10, eventOf(order, fillOf(id, "t1", "1", { price })));
    run.bot.after(10, eventOf({ ...order, status: "CANCELED" }));
    expect(run.saved(id)).toEqual(absent);
  });

  it("is kept until a list that was requested after the doubt, not by one that was under way", () => {
    const { run, id } = quoting();
    run.bot.after(10, eventOf(reportOf(id), fillOf(id, "t0", "1", { price })));
    run.bot.after(10, lastWord(id));
    confirm(run, id);
    run.list([]);
    expect(run.saved(id)).toEqual(absent);
    run.list([]);
    expect(run.saved(id)).toBeUndefined();
  });

  it("is kept when more than its size was executed, as the venue says at its end", () => {
    const { run, id } = quoting();
    run.bot.after(10, eventOf(reportOf(id, { status: "CANCELED", executedQty: fixed("3") })));
    expect(run.saved(id)).toEqual(absent);
    confirm(run, id, "3");
    expect(run.saved(id)).toEqual(absent);
    run.list([fillOf(id, "t1", "1")]);
    expect(run.booked()).toEqual([fillOf(id, "t1", "1")]);
    expect(run.saved(id)).toBeUndefined();
  });

  it("was forgotten with its confirmed end in older journals", () => {
    const { run, id } = quoting({ awaitsDoubtedFills: false });
    run.bot.after(10, lastWord(id));
    confirm(run, id);
    expect(run.saved(id)).toBeUndefined();
  });
});

it("a fill that is not believed stays none over checkpoints, segments and the file's bytes", () => {
  const { run, id } = quoting();
  run.bot.after(10, doubted(id));
  for (let seconds = 0; seconds < 5; seconds += 1) run.bot.after(1_000);
  const store = new MemoryStore();
  const open = (sizes: { segmentBytes: number; checkpointBytes: number }) =>
    new Journal({
      store,
      folder: "j",
      header: headerOf("one"),
      restored: restore(store, "j").restored,
      ...sizes,
    });
  for (const sizes of [
    { segmentBytes: 1, checkpointBytes: 1 },
    { segmentBytes: 1e9, checkpointBytes: 1 },
    { segmentBytes: 1e9, checkpointBytes: 1e9 },
  ]) {
    const journal = open(sizes);
    for (const entry of run.entries) {
      journal.append(entry);
      journal.maintain();
      const [order] = restore(store, "j").restored.orders;
      expect([order?.executed ?? "0", order?.tradeIds ?? []]).toEqual(["0", []]);
    }
    expect(restore(store, "j").restored.orders.map(({ orderId }) => orderId)).toContain(id);
  }
});

describe("a report that is not believed", () => {
  it("ends no order for the next run when it is of another side", () => {
    const { run, id } = quoting();
    run.bot.after(10, eventOf(reportOf(id, { side: "SELL", status: "CANCELED" })));
    expect(run.saved(id)).toEqual({ executed: "0", tradeIds: [] });
  });

  it("changes no order's size for the next run", () => {
    for (const size of ["0.001", "1000000"]) {
      const { run, id } = quoting();
      run.bot.after(10, eventOf(reportOf(id, { origQty: fixed(size) })));
      const second = next(run);
      second.bot.after(10, doubted(id, {}));
      expect(second.booked()).toEqual([fillOf(id, "t1", "1")]);
      expect(second.bot.notes.filter(({ type }) => type === "doubt")).toEqual([]);
      expect(second.restored().orders).toMatchObject([{ orderId: id, quantity: "2" }]);
    }
  });

  it("changes no size of an order of an earlier run", () => {
    for (const size of ["0.001", "1000000"]) {
      const { run, id } = quoting();
      const second = next(run);
      second.bot.after(10, eventOf(reportOf(id, { origQty: fixed(size) })));
      const third = next(second);
      third.bot.after(10, doubted(id, {}));
      expect(third.booked()).toEqual([fillOf(id, "t1", "1")]);
      expect(third.bot.notes.filter(({ type }) => type === "doubt")).toEqual([]);
      expect(third.restored().orders).toMatchObject([{ orderId: id, quantity: "2" }]);
    }
  });

  it("gives a replacement its size only where it is the first of it, in whichever run that comes", () => {
    const ledger = new OrderLedger();
    const id = hashOf(2);
    const modify = {
      ...({ type: "modify", intent: 2, nonce: 2, strategy: "maker", orderId: hashOf(1) } as const),
      ...({ marketId: market.marketId, side: "BUY", newPrice: 1990, newQty: size } as const),
    };
    const entryOf = (seq: number, ...inputs: Input[]): BatchEntry => ({
      batch: { seq, nowMs: unixMs(seq), inputs },
      effects: [],
      signed: [],
      ended: [],
      carried: [],
    });
    ledger.apply({
      ...entryOf(1),
      effects: [modify],
      signed: [{ intent: 2, txHash: id, bytesHex: "0x" }],
    });
    const second = new OrderLedger(ledger.restored());
    for (const origQty of ["1.5", "0.1"]) {
      second.apply(entryOf(2, eventOf(reportOf(id, { origQty: fixed(origQty) }))));
      expect(second.restored().orders).toMatchObject([{ orderId: id, quantity: "1.5" }]);
    }
    const third = new OrderLedger(second.restored());
    third.apply(entryOf(3, eventOf(reportOf(id, { origQty: fixed("3") }))));
    expect(third.restored().orders).toMatchObject([{ orderId: id, quantity: "1.5" }]);
  });

  it("of more than the order's size leaves the order to the next run only until its fills are known", () => {
    const { run, id } = quoting();
    const order = reportOf(id, { status: "FILLED", executedQty: fixed("3") });
    run.bot.after(10, eventOf(order, fillOf(id, "t1", "2")));
    expect(run.booked()).toEqual([fillOf(id, "t1", "2")]);
    expect(run.saved(id)).toBeUndefined();
  });
});

/** One telling of a trade: by an event or a list, true or changed. */
const tellings = fc.record({
  trade: fc.nat(3),
  isEvent: fc.boolean(),
  lie: fc.constantFrom<Partial<Fill>>(
    {},
    {},
    { price: fixed("1000000") },
    { price: fixed("1989") },
    { quantity: fixed("1.5") },
    { quantity: fixed("0.1") },
    { fee: fixed("260000") },
    { side: "SELL" },
    { tradeId: "other" },
  ),
  /** The process is killed after this one. */
  isKilled: fc.boolean(),
});

it("after any tellings and kills the journal has of an order what its runs have booked, and each trade once", () => {
  fc.assert(
    fc.property(fc.array(tellings, { maxLength: 12 }), (told) => {
      const { run: first, id } = quoting();
      const booked: Fill[] = [];
      let run = first;
      for (const { trade, isEvent, lie, isKilled } of told) {
        const fill = fillOf(id, `t${trade}`, "0.5", lie);
        const executedQty = fixed(String((trade + 1) / 2));
        const order = reportOf(id, { status: "PARTIALLY_FILLED", executedQty });
        // A false event has a list of fills read.
        run.bot.after(
          10,
          isEvent ? eventOf(order, fill) : doubted(id, { tradeId: "x", side: "SELL" }),
        );
        if (!isEvent) run.list([fill]);
        const known = [...booked, ...run.booked()];
        const sum = known.map(({ quantity }) => quantity).reduce(addFixed, ZERO);
        const keys = known.map(({ tradeId }) => tradeId);
        expect(new Set(keys).size).toBe(keys.length);
        // An order that is executed in full has ended.
        const saved = run.saved(id) ?? { executed: "2", tradeIds: keys };
        expect(saved.executed).toBe(fixedText(sum));
        expect(new Set(saved.tradeIds)).toEqual(new Set(keys));
        expect([...ownFills(run.entries)].map((own) => own.fill)).toEqual(run.booked());
        expect(run.bot.kernel.positions[0]?.position.base ?? ZERO).toBe(
          known.map(({ quantity, fee }) => subFixed(quantity, fee)).reduce(addFixed, ZERO),
        );
        if (!isKilled || run.saved(id) === undefined) continue;
        booked.push(...run.booked());
        run = next(run);
      }
    }),
    { numRuns: 40 },
  );
}, 60_000);
