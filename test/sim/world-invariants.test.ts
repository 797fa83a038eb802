import { describe, expect, it } from "vitest";
import { fixed, type Fixed, ZERO } from "../../src/domain/fixed.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import { market as marketOrder, NOW, testHash, testMarket } from "../support/exchange.ts";
import { cancelOf, other, placement, sent, watch } from "./watched-invariant.ts";

const { marketId } = testMarket();
const opened: Input = { type: "stream", state: "opened", reason: "" };
/** A book with a mid of 100. */
const book = {
  type: "book",
  snapshot: {
    marketId,
    lastId: 1,
    timeMs: NOW,
    bids: Float64Array.of(99, 1),
    asks: Float64Array.of(101, 1),
  },
} as const satisfies Input;

const limitNote = (limit: "maxPosition" | "maxOrderNotional", value: Fixed): Note => ({
  type: "limit",
  code: "LIMIT_DERIVED",
  limit,
  of: marketId,
  value,
  message: "",
});
/** With 1,000 base token, 1,000,000 quote token and a mid of 100 a position of 11,000 and an order of 550,000. */
const derived = (maxPosition: string, maxOrderNotional: string): Note[] => [
  limitNote("maxPosition", fixed(maxPosition)),
  limitNote("maxOrderNotional", fixed(maxOrderNotional)),
];
const kept = (notes: readonly Note[]): Note[] =>
  notes.map((note) => (note.type === "limit" ? { ...note, code: "LIMIT_KEPT" } : note));

describe("derived-limits detects", () => {
  const inputs = [opened, book];
  const right = derived("11000", "550000");

  it("limits that do not follow from balances and mid", () => {
    const wrong = (notes: Note[]) =>
      watch("derived-limits", { derivesLimits: true }).entry({ inputs, notes });
    expect(wrong(right)).toBeUndefined();
    expect(wrong(derived("11030", "550000"))).toContain("a position of 11030 and");
    expect(wrong(derived("10998", "549999"))).toBeUndefined();
    expect(wrong(derived("10970", "550000"))).toContain("a position of 10970 and");
    expect(wrong(derived("11000", "275000"))).toContain("an order of 275000 was derived");
    expect(wrong(right.slice(1))).toBe("only maxOrderNotional was derived or kept");
  });

  it("a mid of neither the bot's book nor a newer one that it may only have compared", () => {
    const wrong = (notes: Note[]) => {
      const newer: Input = {
        type: "book",
        snapshot: { ...book.snapshot, lastId: 5, asks: Float64Array.of(151, 1) },
      };
      return watch("derived-limits", { derivesLimits: true }).entry({
        inputs: [...inputs, newer],
        notes,
      });
    };
    expect(wrong(right)).toBeUndefined();
    expect(wrong(derived("9000", "562500"))).toBeUndefined();
    expect(wrong(derived("9000", "550000"))).toContain("was derived");
    expect(wrong(derived("10000", "555000"))).toContain("was derived");
  });

  it("limits that a restart derives anew, or that nobody derived", () => {
    const { entry, hooks, oracle } = watch("derived-limits", { derivesLimits: true });
    expect(entry({ inputs, notes: right })).toBeUndefined();
    hooks.runStarts?.();
    expect(entry({ notes: kept(right) })).toBeUndefined();
    expect(entry({ notes: kept(derived("12000", "550000")) })).toContain("which none has derived");
    expect(entry({ notes: right })).toBe("limits were derived a second time");
    // The disk may have lost them.
    oracle.hasJournalGap = true;
    expect(entry({ notes: right })).toBeUndefined();
  });

  it("an order before limits are known, and one beyond them that opens a position", () => {
    const { entry, place, exchange } = watch("derived-limits", { derivesLimits: true });
    const sell = { ...placement(100, "6000"), side: "SELL" as const };
    expect(entry({ effects: [placement(100, "1")] })).toContain("before limits were derived");
    expect(entry({ inputs, notes: right, effects: [placement(100, "5500")] })).toBeUndefined();
    expect(entry({ effects: [placement(100, "5501")] })).toContain("an order of 550100 was placed");
    expect(entry({ effects: [sell] })).toContain("an order of 600000 was placed");
    // What closes a position may be larger.
    place("BUY", "100", "900");
    exchange.execute(other, marketOrder("SELL", "900"), NOW);
    const dear = (size: string) => ({ ...placement(1_000, size), side: "SELL" as const });
    expect(entry({ effects: [dear("900")] })).toBeUndefined();
    expect(entry({ effects: [dear("901")] })).toContain("901000 was placed");
  });

  it("an order beyond a position of which the bot lacks the fills of a lost order", () => {
    const { entry, place, exchange, oracle, lose } = watch("derived-limits", {
      derivesLimits: true,
    });
    const noted = {
      strategy: "maker",
      intent: 1,
      role: "quote",
      paramsVersion: 1,
      position: ZERO,
    } as const;
    const dear = (size: string) => ({ ...placement(1_000, size), side: "SELL" as const });
    entry({ inputs, notes: right });
    const bought = place("BUY", "100", "900");
    exchange.execute(other, marketOrder("SELL", "900"), NOW);
    const sold = place("SELL", "100", "200");
    exchange.execute(other, marketOrder("BUY", "200"), NOW);
    oracle.lost.sent(bought);
    // It may know of the one execution before the other.
    expect(entry({ effects: [dear("900")] })).toBeUndefined();
    expect(entry({ effects: [dear("901")] })).toContain("901000 was placed");
    const fills = oracle.tradesAtVenue();
    for (const fill of fills) entry({ notes: [{ type: "fill", ...noted, fill }] });
    expect(entry({ effects: [dear("900")] })).toContain("900000 was placed");
    const restored: Input = {
      type: "restored",
      restored: { nonceHighWater: 4, orders: [], carried: [] },
    };
    // Without a power cut the journal has them all.
    expect(entry({ inputs: [restored], effects: [dear("900")] })).toContain("900000 was placed");
    lose(sold);
    expect(
      entry({ inputs: [...inputs, restored], notes: right, effects: [dear("900")] }),
    ).toBeUndefined();
    expect(entry({ effects: [dear("901")] })).toContain("901000 was placed");
    // A later run may find them.
    const fill = fills.find(({ orderId }) => orderId === sold);
    if (fill === undefined) throw new Error("the order was executed");
    entry({ notes: [{ type: "fill", ...noted, fill }] });
    expect(entry({ effects: [dear("900")] })).toContain("900000 was placed");
  });

  it("exposure beyond a derived position", () => {
    const { entry, hooks, place, world } = watch("exposure", { derivesLimits: true });
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "1", "1");
    expect(hooks.tick?.()).toBe("BUY 1, limit 0");
    // A call blocks the bot before its observers learn of the limit.
    world.blockedMs = 5_000;
    world.nowMs = 6_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs = 6_001;
    expect(hooks.tick?.()).toBe("BUY 1, limit 0");
    entry({ inputs, notes: right });
    expect(hooks.tick?.()).toBeUndefined();
    place("BUY", "1", "11100");
    expect(hooks.tick?.()).toContain("BUY 11101, limit 11011");
  });
});

it("blocked-means-canceled detects an order that a watchdog leaves, and a command that is no cancel", () => {
  const { hooks, place, lose } = watch("blocked-means-canceled");
  expect(hooks.watchdogEnded?.([])).toBeUndefined();
  const id = place("BUY", "100", "1");
  expect(hooks.watchdogEnded?.([id])).toBeUndefined();
  expect(hooks.watchdogEnded?.([])).toContain("is open and not named");
  lose(testHash(9));
  expect(hooks.watchdogEnded?.([])).toContain("is open and not named");
  lose(id);
  expect(hooks.watchdogEnded?.([])).toBeUndefined();
  expect(hooks.watchdogRequest?.(sent(1, "0x", cancelOf(id)))).toBeUndefined();
  expect(hooks.watchdogRequest?.(sent(2, "0x"))).toBe("the watchdog sent a place");
});

it("paused-means-canceled detects a run that forgets a pause of the run before", () => {
  const { hooks, entry } = watch("paused-means-canceled");
  const restored = (isPaused: boolean): Input => ({
    type: "restored",
    restored: { nonceHighWater: 0, orders: [], carried: [{ type: "pause", isPaused }] },
  });
  const effects = [placement(100, "1")];
  const problem = "a place was ordered by a kernel that knows of the pause";
  expect(entry({ inputs: [restored(false)], effects })).toBeUndefined();
  expect(entry({ inputs: [restored(true)], effects })).toBe(problem);
  expect(entry({ inputs: [{ type: "operator", command: "resume" }], effects })).toBeUndefined();
  expect(entry({ inputs: [{ type: "operator", command: "pause" }], effects })).toBe(problem);
  // Without a word in the journal nothing is known of it.
  hooks.runStarts?.();
  expect(entry({ effects })).toBeUndefined();
});
