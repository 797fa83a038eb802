import { describe, expect, it } from "vitest";
import { fixed, ZERO } from "../../src/domain/fixed.ts";
import type { Fill } from "../../src/domain/order.ts";
import type { Side } from "../../src/domain/side.ts";
import type { Note } from "../../src/kernel/note.ts";
import { USER_CHANNEL_SILENT, faults } from "../../src/sim/faults.ts";
import type { WantedQuotes } from "../../src/sim/decision-log.ts";
import { aSnapshot } from "../orders/order-notes.ts";
import { market as marketOrder, NOW } from "../support/exchange.ts";
import { other, placement, watch } from "./watched-invariant.ts";

const noteOf = (fill: Fill | undefined, strategy = ""): Note => {
  if (fill === undefined) throw new Error("no trade");
  const more = { intent: 1, role: "quote", paramsVersion: 1, position: ZERO } as const;
  return { type: "fill", strategy, fill, ...more };
};

const quote = (side: Side, price: number, size = "1"): WantedQuotes["quotes"][number] => ({
  side,
  price,
  size: fixed(size),
  isPlaced: true,
});
const decided = (
  quotes: WantedQuotes["quotes"],
  strategy = "pure-market-making",
): WantedQuotes => ({
  strategy,
  quotes,
  tolerance: 0,
  sizeTolerance: 0,
  touch: { BUY: 99.99, SELL: 100.01 },
});

/** A world of this invariant whose trouble has long ended. */
function calm(name: string, more: Parameters<typeof watch>[1] = {}) {
  const watched = watch(name, more);
  watched.hooks.faultsEnded?.();
  watched.world.nowMs = 31_000;
  const sell = (quantity: string): Fill | undefined => {
    watched.exchange.execute(other, marketOrder("SELL", quantity), NOW);
    return watched.oracle.tradesAtVenue()[0];
  };
  /** The verdict after this time. */
  const after = (ms: number): string | undefined => {
    watched.world.nowMs += ms;
    return watched.hooks.tick?.();
  };
  return { ...watched, sell, after };
}

describe("told-fills detects", () => {
  it("a fill whose event the bot does not take", () => {
    const { place, sell, after, entry } = calm("told-fills");
    place("BUY", "100", "1");
    const told = sell("0.4");
    expect(after(0)).toBeUndefined();
    entry({ notes: [noteOf(told)] });
    expect(after(2_000)).toBeUndefined();
    sell("0.4");
    expect(after(0)).toBeUndefined();
    expect(after(1_000)).toBeUndefined();
    expect(after(1)).toContain("was filled 1001 ms ago, and the bot has not told of its trade");
    expect(after(1)).toBeUndefined();
  });

  it("one that no list brings either, where no event can", () => {
    const silent = faults.filter(({ name }) => name === USER_CHANNEL_SILENT);
    const { place, sell, after } = calm("told-fills", { faults: silent });
    place("BUY", "100", "1");
    sell("0.4");
    expect(after(0)).toBeUndefined();
    expect(after(8_000)).toBeUndefined();
    expect(after(1)).toContain("was filled 8001 ms ago");
  });

  it("one of an order that a power cut took, once the bot has found it", () => {
    const { place, sell, after, entry, lose } = calm("told-fills");
    const orderId = place("BUY", "100", "1");
    sell("0.4");
    lose(orderId);
    expect(after(0)).toBeUndefined();
    expect(after(60_000)).toBeUndefined();
    const order = aSnapshot({ orderId, state: "working", status: "PARTIALLY_FILLED" });
    entry({ notes: [{ type: "order", strategy: "(adopted)", order, before: undefined }] });
    expect(after(1)).toContain("has not told of its trade");
  });
});

it("shown-fills detects a strategy that is not called for a fill", () => {
  const { place, sell, after, entry, world } = calm("shown-fills");
  place("BUY", "100", "1");
  entry({ notes: [noteOf(sell("0.4"), "maker")] });
  expect(after(2_000)).toBeUndefined();
  world.hasShownFills = false;
  entry({ notes: [noteOf(sell("0.1"), "(adopted)")] });
  expect(after(2_000)).toBeUndefined();
  entry({ notes: [noteOf(sell("0.1"), "maker")] });
  expect(after(1_000)).toBeUndefined();
  expect(after(1)).toContain("maker has not been called for the fill");
});

it("spreads detects quotes that are nearer to each other than the spreads", () => {
  const { hooks, world } = watch("spreads", { params: { bidSpread: "0.05%", askSpread: "0.2%" } });
  world.wanted = [decided([quote("BUY", 99.95), quote("SELL", 100.2)])];
  expect(hooks.tick?.()).toBeUndefined();
  const near = [
    quote("BUY", 99.95),
    quote("BUY", 99.9),
    quote("SELL", 100.3),
    quote("SELL", 100.1),
  ];
  world.wanted = [decided(near, "stops-and-brackets")];
  expect(hooks.tick?.()).toBeUndefined();
  world.wanted = [decided(near)];
  expect(hooks.tick?.()).toContain("of the mid apart, the spreads are 0.0025 together");
  world.wanted = [decided([quote("BUY", 99.95)])];
  expect(hooks.tick?.()).toBeUndefined();
});

describe("cool-down detects", () => {
  const params = { coolDown: "3000ms" };
  const effects = [placement(100, "1")];

  it("a quote that is placed soon after one of its side was filled whole", () => {
    const { place, sell, entry, world, startRun } = calm("cool-down", { params });
    world.wanted = [decided([quote("BUY", 100)])];
    place("BUY", "100", "1");
    expect(entry({ notes: [noteOf(sell("0.4"))], effects })).toBeUndefined();
    expect(entry({ notes: [noteOf(sell("0.6"))], effects })).toContain(
      "a BUY was placed 3000 ms before the end of the cool-down",
    );
    world.nowMs += 2_999;
    expect(entry({ effects })).toContain("placed 1 ms before");
    startRun();
    expect(entry({ effects })).toBeUndefined();
  });

  it("none once the time is over", () => {
    const { place, sell, entry, world } = calm("cool-down", { params });
    world.wanted = [decided([quote("BUY", 100)])];
    place("BUY", "100", "1");
    entry({ notes: [noteOf(sell("1"))] });
    world.nowMs += 3_000;
    expect(entry({ effects })).toBeUndefined();
  });
});
