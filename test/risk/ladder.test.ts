import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { RiskLadder } from "../../src/risk/ladder.ts";
import type { Measured } from "../../src/risk/measured.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import { calm } from "./calm.ts";

const lost = (amount: string): Measured => ({ ...calm, sessionPnl: fixed(`-${amount}`) });

function ladderOf(written: object): RiskLadder {
  return new RiskLadder("maker", triggersSchema("bot").parse(written));
}

const loss = { sessionLoss: { warn: "20", reduceOnly: "50", halt: "100" } };

describe("the ladder", () => {
  it("climbs when a limit is reached exactly, and says what reached it", () => {
    const ladder = ladderOf(loss);
    expect(ladder.evaluate(lost("19.99"), 1)).toEqual([]);
    expect(ladder.evaluate(lost("20"), 2)).toEqual([
      {
        trigger: "sessionLoss",
        step: "warn",
        before: "normal",
        text: "the session loss of maker is 20 quote token, limit 20 quote token",
      },
    ]);
    ladder.evaluate(lost("300"), 3);
    expect(ladder.standing).toMatchObject({ step: "halt", trigger: "sessionLoss", sinceMs: 3 });
  });

  it("never climbs down by itself without recoverAfter", () => {
    const ladder = ladderOf(loss);
    ladder.evaluate(lost("60"), 0);
    ladder.evaluate(calm, 1e12);
    expect(ladder.standing.step).toBe("reduceOnly");
  });

  it("climbs down to the present step once the value was below for all of recoverAfter", () => {
    const ladder = ladderOf({ unknownOrders: { warn: 1, pause: 3, recoverAfter: "1m" } });
    const unknown = (count: number): Measured => ({ ...calm, unknownOrders: count });
    ladder.evaluate(unknown(3), 0);
    ladder.evaluate(unknown(1), 10_000);
    ladder.evaluate(unknown(3), 60_000);
    for (let second = 61; second <= 120; second += 1) {
      expect(ladder.evaluate(unknown(1), second * 1_000)).toEqual([]);
    }
    expect(ladder.evaluate(unknown(1), 121_000)).toMatchObject([{ step: "warn", before: "pause" }]);
    for (let second = 122; second <= 181; second += 1) {
      expect(ladder.evaluate(unknown(0), second * 1_000)).toEqual([]);
    }
    expect(ladder.evaluate(unknown(0), 182_000)).toMatchObject([{ step: "normal" }]);
  });

  it("holds a restored step whose limit is added later, whatever recoverAfter says", () => {
    for (const written of [{}, { sessionLoss: { warn: "20", recoverAfter: "1s" } }]) {
      const ladder = ladderOf(written);
      ladder.expect("sessionLoss", "halt");
      ladder.restore([{ trigger: "sessionLoss", step: "halt", sinceMs: 0 }]);
      ladder.evaluate(calm, 1_000);
      ladder.evaluate(calm, 60_000);
      expect(ladder.standing.step).toBe("halt");
      ladder.add("sessionLoss", { steps: [{ step: "halt", from: fixed("100") }] });
      ladder.evaluate(calm, 120_000);
      expect(ladder.standing.step).toBe("halt");
      expect(ladder.resume(calm, 121_000)).toMatchObject([{ step: "normal" }]);
    }
  });

  it("counts no more of the time between two evaluations than it may", () => {
    const written = { unknownOrders: { pause: 3, recoverAfter: "10s" } };
    const ladder = new RiskLadder("maker", triggersSchema("bot").parse(written));
    ladder.evaluate({ ...calm, unknownOrders: 3 }, 0);
    ladder.evaluate(calm, 1_000);
    // The process slept, or the clock jumped: of this hour 5 s count.
    ladder.evaluate(calm, 3_601_000);
    expect(ladder.standing.step).toBe("pause");
    ladder.evaluate(calm, 3_605_999);
    expect(ladder.standing.step).toBe("pause");
    expect(ladder.evaluate(calm, 3_606_001)).toMatchObject([{ step: "normal" }]);
  });

  it("takes further steps for a trigger that it has", () => {
    const ladder = ladderOf({ sessionLoss: { warn: "20" } });
    ladder.evaluate(lost("30"), 0);
    ladder.add("sessionLoss", { steps: [{ step: "halt", from: fixed("100") }] });
    expect(ladder.evaluate(lost("99"), 1)).toEqual([]);
    expect(ladder.evaluate(lost("100"), 2)).toMatchObject([{ step: "halt", before: "warn" }]);
    expect(ladder.saved()).toMatchObject([{ trigger: "sessionLoss", step: "halt" }]);
  });

  it("keeps its step while a value cannot be measured", () => {
    const ladder = ladderOf({ sessionLoss: { pause: "20", recoverAfter: "1s" } });
    ladder.evaluate(lost("20"), 0);
    ladder.evaluate({ ...calm, sessionPnl: undefined }, 60_000);
    expect(ladder.standing.step).toBe("pause");
  });

  it("recovers although a paused strategy has too few fills to be measured", () => {
    const ladder = ladderOf({ takerShare: { pause: "50%", minFills: 1, recoverAfter: "1m" } });
    const taken = {
      atMs: 0,
      sign: 1,
      price: 1,
      value: 1,
      isQuote: true,
      isMaker: false,
      feeExcess: 0,
      midLater: 1,
    } as const;
    ladder.evaluate({ ...calm, fills: () => [taken] }, 0);
    expect(ladder.standing.step).toBe("pause");
    // The fill has left the window, and a paused strategy has no other.
    for (let second = 600; second < 660; second += 1) {
      expect(ladder.evaluate(calm, second * 1_000)).toEqual([]);
    }
    expect(ladder.evaluate(calm, 660_000)).toMatchObject([{ step: "normal", before: "pause" }]);
  });

  it("says shares to the ten-thousandth of a percent", () => {
    const ladder = ladderOf({ takerShare: { warn: "20%", minFills: 1 } });
    const fill = { atMs: 0, sign: 1, price: 1, isQuote: true, feeExcess: 0, midLater: 1 } as const;
    const taken = { ...fill, value: 5, isMaker: false };
    const made = { ...fill, value: 18, isMaker: true };
    ladder.evaluate({ ...calm, fills: () => [taken, made] }, 0);
    expect(ladder.standing.text).toBe(
      "the taker share of quote fills of maker is 21.7391%, limit 20%",
    );
  });

  it("stands at the hardest step of all triggers", () => {
    const ladder = ladderOf({ ...loss, strategyFaults: { pause: 1 } });
    ladder.evaluate({ ...lost("60"), strategyFaults: 1 }, 0);
    expect(ladder.standing).toMatchObject({ step: "pause", trigger: "strategyFaults" });
    ladder.evaluate(lost("100"), 1);
    expect(ladder.standing).toMatchObject({ step: "halt", trigger: "sessionLoss" });
  });

  it("holds what would act at once after a resume, and leaves the rest by it", () => {
    const ladder = ladderOf(loss);
    ladder.evaluate(lost("100"), 0);
    expect(ladder.outlook(lost("60"))).toMatchObject([
      {
        before: "halt",
        after: "reduceOnly",
        text: "the session loss of maker is 60 quote token, limit 50 quote token",
      },
    ]);
    expect(ladder.outlook(lost("49"))).toMatchObject([{ before: "halt", after: "warn" }]);
    expect(ladder.outlook(lost("60"), true)).toMatchObject([{ before: "halt", after: "normal" }]);
    expect(ladder.resume(lost("49"), 1)).toMatchObject([{ step: "warn", before: "halt" }]);
    ladder.evaluate(lost("100"), 2);
    expect(ladder.standing.step).toBe("halt");
  });

  it("leaves the step of an amount that is not known only when it is forced to", () => {
    const ladder = ladderOf(loss);
    ladder.evaluate(lost("100"), 0);
    const unmeasured = { ...calm, sessionPnl: undefined };
    expect(ladder.outlook(unmeasured)).toMatchObject([
      { after: "halt", text: "the session loss of maker is not known, limit 100 quote token" },
    ]);
    expect(ladder.resume(unmeasured, 1)).toEqual([]);
    expect(ladder.standing.step).toBe("halt");
    expect(ladder.resume(unmeasured, 2, true)).toMatchObject([{ step: "normal", before: "halt" }]);
  });

  it("continues with the steps of an earlier run, of triggers that it still has", () => {
    const before = ladderOf({ ...loss, strategyFaults: { pause: 1 } });
    before.evaluate({ ...lost("100"), strategyFaults: 1 }, 7);
    const after = ladderOf({ sessionLoss: { reduceOnly: "500" } });
    after.restore(before.saved());
    expect(after.standing).toMatchObject({ step: "halt", trigger: "sessionLoss", sinceMs: 7 });
    after.evaluate(calm, 8);
    expect(after.standing.step).toBe("halt");
    after.resume(calm, 9);
    expect(after.standing.step).toBe("normal");
  });

  it("says that an earlier run reached the step that it began with, until this run reaches another", () => {
    const before = ladderOf(loss);
    before.evaluate(lost("60"), 7);
    const after = ladderOf(loss);
    after.restore(before.saved());
    after.evaluate(calm, 8);
    const text =
      "the session loss of maker was 60 quote token in an earlier run, limit 50 quote token";
    expect(after.standing).toMatchObject({ step: "reduceOnly", text });
    after.evaluate(lost("100"), 9);
    expect(after.standing).toMatchObject({
      step: "halt",
      text: "the session loss of maker is 100 quote token, limit 100 quote token",
    });
  });

  it("does not name the limit of this run as one that a step of an earlier run has reached", () => {
    const before = ladderOf({ sessionLoss: { reduceOnly: "0.2" } });
    before.evaluate(lost("0.25"), 7);
    const after = ladderOf({ sessionLoss: { reduceOnly: "250" } });
    after.restore(before.saved());
    expect(after.standing).toMatchObject({
      step: "reduceOnly",
      text: "the session loss of maker was 0.25 quote token in an earlier run; the limit is 250 quote token now",
    });
  });
});
