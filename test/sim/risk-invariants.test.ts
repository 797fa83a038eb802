import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { RiskStep } from "../../src/domain/risk-step.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { CarriedRung } from "../../src/orders/carried.ts";
import { market as marketOrder, NOW, testMarket } from "../support/exchange.ts";
import { cancelOf, other, placement, sent, watch } from "./watched-invariant.ts";

const ladder = {
  sessionLoss: { warn: "1", pause: "2" },
  position: { reduceOnly: "1" },
  unknownAge: { pause: "2s", recoverAfter: "5s" },
};
const stepTo = (trigger: string, to: RiskStep): Note => ({
  type: "risk",
  of: undefined,
  trigger,
  step: to,
  code: "",
  message: "",
});
const resume: Input = { type: "operator", command: "resume" };

describe("each invariant of the risk ladder detects a violation", () => {
  it("risk-steps", () => {
    const given = watch("risk-steps", { triggers: ladder });
    const { hooks, place, oracle, world, entry, commands } = given;
    const id = place("BUY", "100", "1");
    oracle.orders.set(id, "live");
    hooks.runStarts?.();
    expect(entry({ notes: [stepTo("sessionLoss", "warn")] })).toBeUndefined();
    expect(entry({ effects: [placement(100, "1")] })).toBeUndefined();
    expect(entry({ notes: [stepTo("sessionLoss", "pause")] })).toBeUndefined();
    const paused = "a place was ordered at the step pause of the risk ladder";
    expect(entry({ effects: [placement(100, "1")] })).toBe(paused);
    expect(entry({ notes: [stepTo("sessionLoss", "warn")] })).toContain(
      "from pause to warn by itself",
    );
    expect(entry({ notes: [stepTo("sessionLoss", "pause")] })).toBeUndefined();
    // The quote that rests is canceled in time, while the venue accepts connections.
    world.nowMs = 6_000;
    expect(hooks.tick?.()).toBeUndefined();
    world.nowMs += 1;
    expect(hooks.tick?.()).toContain("rests without a cancel");
    world.unreachableMs = 1;
    expect(hooks.tick?.()).toBeUndefined();
    world.unreachableMs = 0;
    commands.sent(sent(8, "0x08", cancelOf(id)));
    expect(hooks.tick?.()).toBeUndefined();
    // A restart leaves no step, an operator does.
    hooks.runStarts?.();
    expect(entry({ effects: [placement(100, "1")] })).toBe(paused);
    const resumed = { inputs: [resume], notes: [stepTo("sessionLoss", "normal")] };
    expect(entry({ ...resumed, effects: [placement(100, "1")] })).toBeUndefined();
  });

  it("risk-steps: a step with recoverAfter lasts at least that long by the bot's clock", () => {
    const { world, entry } = watch("risk-steps", { triggers: ladder });
    const left = { notes: [stepTo("unknownAge", "normal")] };
    entry({ notes: [stepTo("unknownAge", "pause")] });
    world.nowMs = 4_999;
    expect(entry(left)).toContain("from pause to normal by itself after 4999 ms");
    entry({ notes: [stepTo("unknownAge", "pause")] });
    world.nowMs += 5_000;
    // A step that is left quotes at once.
    expect(entry({ ...left, effects: [placement(100, "1")] })).toBeUndefined();
    entry({ notes: [stepTo("unknownAge", "pause")] });
    world.nowMs = 0;
    entry({});
    world.nowMs = 5_000;
    expect(entry(left)).toBeUndefined();
  });

  it("risk-steps: after a journal with a gap a run begins with the steps that the journal has", () => {
    const { hooks, oracle, entry } = watch("risk-steps", { triggers: ladder });
    entry({ notes: [stepTo("sessionLoss", "pause")] });
    oracle.hasJournalGap = true;
    hooks.runStarts?.();
    const restored = (rungs: readonly CarriedRung[]): Input => ({
      type: "restored",
      restored: { nonceHighWater: 0, orders: [], carried: [{ type: "risk", rungs }] },
    });
    expect(entry({ inputs: [restored([])], effects: [placement(100, "1")] })).toBeUndefined();
    const halted = restored([{ trigger: "sessionLoss", step: "halt", sinceMs: NOW }]);
    expect(entry({ inputs: [halted], effects: [placement(100, "1")] })).toContain("the step halt");
  });

  it("reduce-only", () => {
    const given = watch("reduce-only", { triggers: ladder });
    const { oracle, entry, place, exchange } = given;
    const buy = placement(100, "0.4");
    const sell = (quantity: string) => ({ ...placement(100, quantity), side: "SELL" as const });
    expect(entry({ effects: [buy] })).toBeUndefined();
    expect(entry({ notes: [stepTo("position", "reduceOnly")] })).toBeUndefined();
    const nothing = "buys of 0.4 and sells of 0 were ordered at a position of 0";
    expect(entry({ effects: [buy] })).toBe(nothing);
    place("BUY", "100", "1");
    exchange.execute(other, marketOrder("SELL", "1"), NOW);
    expect(entry({ effects: [buy] })).toBe(nothing);
    // The venue has executed a buy whose fill the bot does not have yet.
    expect(entry({ effects: [sell("0.5"), sell("0.3")] })).toBeUndefined();
    expect(entry({ effects: [sell("0.5"), sell("0.6")] })).toContain("sells of 1.1 were ordered");
    oracle.hasJournalGap = true;
    expect(entry({ effects: [buy] })).toBeUndefined();
  });

  it("reduce-only: what a modify replaces may have been executed in part", () => {
    const { entry, place, exchange } = watch("reduce-only", { triggers: ladder });
    place("BUY", "100", "1");
    exchange.execute(other, marketOrder("SELL", "1"), NOW);
    const orderId = place("SELL", "100", "1");
    exchange.execute(other, marketOrder("BUY", "0.4"), NOW);
    const modify = (quantity: string): Effect => ({
      type: "modify",
      intent: 2,
      nonce: 2,
      strategy: "",
      orderId,
      marketId: testMarket().marketId,
      side: "SELL",
      newPrice: 101,
      newQty: fixed(quantity),
    });
    entry({ notes: [stepTo("position", "reduceOnly")] });
    expect(entry({ effects: [modify("0.9")] })).toBeUndefined();
    expect(entry({ effects: [modify("1.1")] })).toContain("sells of 0.7 were ordered");
  });
});
