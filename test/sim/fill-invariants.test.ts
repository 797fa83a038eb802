import { describe, expect, it } from "vitest";
import { ZERO } from "../../src/domain/fixed.ts";
import type { Fill } from "../../src/domain/order.ts";
import type { Note } from "../../src/kernel/note.ts";
import { USER_CHANNEL_SILENT, faults } from "../../src/sim/faults.ts";
import { aSnapshot } from "../orders/order-notes.ts";
import { market as marketOrder, NOW } from "../support/exchange.ts";
import { other, watch } from "./watched-invariant.ts";

const noteOf = (fill: Fill | undefined, strategy = ""): Note => {
  if (fill === undefined) throw new Error("no trade");
  const more = { intent: 1, role: "quote", paramsVersion: 1, position: ZERO } as const;
  return { type: "fill", strategy, fill, ...more };
};

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
