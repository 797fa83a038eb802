import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { SourceView } from "../../src/strategy/view.ts";
import { NOW } from "../support/exchange.ts";
import { placement, plain, watch } from "./watched-invariant.ts";

const sources = {
  names: ["a"],
  startPrice: 100,
  everyMs: 100,
  maxAgeMs: 2_000,
  whenOld: "stop" as "stop" | "widen",
  widenBy: 2,
};
const restingBid = plain("BUY", "99", "1");
const price = (bid: number, ask = bid): Input => ({ type: "source", name: "a", bid, ask });

function watched(name: string, whenOld = sources.whenOld) {
  const { world, hooks, entry, startRun, ...rest } = watch(name, {
    sources: { ...sources, whenOld },
  });
  return {
    ...rest,
    world,
    hooks,
    startRun,
    /** A step at this time, with the decision in it that saw this price. */
    step(nowMs: number, inputs: Input[], seen?: Partial<SourceView>) {
      world.nowMs = nowMs;
      const view = seen && { mid: 0, lagMs: undefined, bid: 0, ask: 0, ageMs: 0, ...seen };
      world.sourcesRead.push({ nowMs: NOW + nowMs, seen: { a: view } });
      return entry({ inputs });
    },
    /** A step that places a bid. */
    place(nowMs: number, inputs: Input[], bid = 99) {
      world.nowMs = nowMs;
      return entry({ inputs, effects: [placement(bid, "1")] });
    },
  };
}

describe("source-prices detects", () => {
  const right = { bid: 100, ask: 101 };

  it("a price that is too old, and one that is missing although a new one came", () => {
    const { step } = watched("source-prices");
    expect(step(0, [price(100, 101)], right)).toBeUndefined();
    expect(step(2_000, [], { ...right, ageMs: 2_000 })).toBeUndefined();
    step(2_001, [], { ...right, ageMs: 2_001 });
    expect(step(2_100, [price(100, 101)])).toContain("saw 100 of source a: none may be used");
    expect(step(2_200, [])).toContain("saw no price of source a: 100 of 0 ms is right");
  });

  it("a price that is impossible, another one, or of another age", () => {
    const wrong = (seen: Partial<SourceView>, ...inputs: Input[]) => {
      const { step } = watched("source-prices");
      step(0, [price(100, 101)], right);
      step(100, inputs, seen);
      return step(200, [], { ...right, ageMs: 200 });
    };
    expect(wrong({ ...right, ageMs: 100 }, price(0, 101), price(102, 101))).toBeUndefined();
    expect(wrong({ bid: 0, ask: 101 }, price(0, 101))).toContain("saw 0 of source a");
    expect(wrong({ bid: 99, ask: 101, ageMs: 100 })).toContain("saw 99 of source a");
    expect(wrong({ ...right, ageMs: 0 })).toContain("100 of 100 ms is right");
  });

  it("a jump that is believed before it has stood, or never", () => {
    const jumped = (atMs: number, believes: boolean) => {
      const { step } = watched("source-prices");
      step(0, [price(100, 101)], right);
      for (let ms = 1_000; ms < atMs; ms += 1_000) step(ms, [price(1_000)], undefined);
      step(atMs, [price(1_000)], believes ? { bid: 1_000, ask: 1_000 } : undefined);
      return step(atMs + 1, []);
    };
    expect(jumped(5_000, true)).toContain("none may be used");
    expect(jumped(6_000, true)).toBeUndefined();
    expect(jumped(6_000, false)).toContain("saw no price of source a: 1000 of 0 ms is right");
  });

  it("nothing in steps of the same time, of which one may have read, or of another run", () => {
    const { step, startRun, world } = watched("source-prices");
    step(0, [price(100, 101)], right);
    expect(step(100, [], { bid: 103, ask: 103 })).toBeUndefined();
    expect(step(100, [price(103)], { bid: 103, ask: 103 })).toBeUndefined();
    world.sourcesRead.length = 0;
    startRun();
    expect(step(200, [])).toBeUndefined();
    expect(step(300, [price(1_000)], { bid: 1_000, ask: 1_000 })).toBeUndefined();
    expect(step(400, [])).toBeUndefined();
  });
});

describe("fresh-source detects", () => {
  const wanted = (bid: number) => {
    const quote = { side: "BUY", price: bid, size: fixed("1"), isPlaced: true } as const;
    return {
      strategy: "",
      quotes: [quote],
      tolerance: 0,
      sizeTolerance: 0,
      touch: { BUY: 99, SELL: 101 },
    };
  };

  it("a quote that is placed by an old source, one without a price, or one that jumped", () => {
    const { place } = watched("fresh-source");
    expect(place(0, [])).toContain("placed although source a is of no use");
    expect(place(0, [price(100)])).toBeUndefined();
    expect(place(2_000, [])).toBeUndefined();
    expect(place(2_001, [price(1_000)])).toContain("source a is of no use");
    expect(place(2_100, [price(100)])).toBeUndefined();
  });

  it("a quote that rests on an old source without a cancel", () => {
    const { place: step, hooks, world, oracle, ...rest } = watched("fresh-source");
    step(0, [price(100)]);
    const { exchange } = rest;
    const orderId = exchange.execute(oracle.owner, restingBid, NOW);
    if (orderId.type === "refused") throw new Error(orderId.message);
    oracle.orders.set(orderId.txHash, "live");
    const at = (nowMs: number) => {
      world.nowMs = nowMs;
      return hooks.tick?.();
    };
    expect(at(2_000)).toBeUndefined();
    expect(at(2_050)).toBeUndefined();
    expect(at(24_000)).toBeUndefined();
    world.unreachableMs = 20_000;
    expect(at(24_100)).toBeUndefined();
    world.unreachableMs = 0;
    expect(at(24_200)).toContain("rests although a source has been of no use for 22150 ms");
  });

  it("a quote that an old source does not widen, once it has been old for a second", () => {
    const { place, world } = watched("fresh-source", "widen");
    world.wanted = [wanted(99.5)];
    expect(place(0, [], 99.5)).toBeUndefined();
    expect(place(1_000, [], 99.5)).toContain("BUY placed at 99.5 although source a is of no use");
    expect(place(1_100, [], 99)).toBeUndefined();
    expect(place(1_200, [price(100)], 99.5)).toBeUndefined();
  });
});
