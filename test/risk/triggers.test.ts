import { describe, expect, it } from "vitest";
import { fixed, fixedText, fixedToNumber, negFixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { RiskBaseline } from "../../src/risk/baseline.ts";
import type { Measured, MeasuredFill } from "../../src/risk/measured.ts";
import { RiskMeter } from "../../src/risk/meter.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import type { TriggerSettings } from "../../src/risk/trigger.ts";
import { type TriggerName, triggerNames, triggers } from "../../src/risk/triggers.ts";
import { calm } from "./calm.ts";

const MINUTE = 60_000;
const market = marketId("1", "2");

/** The settings of a trigger as they are parsed from YAML. */
function settingsOf(name: TriggerName, written: object = {}): TriggerSettings {
  const [scope = "bot"] = triggers[name].scopes;
  const first = { share: "1%", quote: "1", duration: "1s", count: 1 }[triggers[name].unit];
  const parsed = triggersSchema(scope).parse({ [name]: { warn: first, ...written } })[name];
  if (parsed === undefined) throw new Error(`${name} was not parsed`);
  return parsed;
}

function valueOf(
  name: TriggerName,
  measured: Partial<Measured>,
  written: object = {},
): string | undefined {
  const value = triggers[name].value({ ...calm, ...measured }, settingsOf(name, written));
  return value === undefined ? undefined : fixedText(value);
}

function fill(overrides: Partial<MeasuredFill> = {}): MeasuredFill {
  return {
    atMs: 0,
    sign: 1,
    price: 100,
    value: 100,
    isQuote: true,
    isMaker: true,
    feeExcess: 0,
    midLater: 100,
    ...overrides,
  };
}

describe("a trigger's value", () => {
  it.each([
    ["position", { position: fixed("1999.5") }, "1999.5"],
    ["exposure", { exposure: fixed("12") }, "12"],
    ["sessionLoss", { sessionPnl: fixed("-20.000000000000000001") }, "20.000000000000000001"],
    ["sessionLoss", { sessionPnl: fixed("3") }, "0"],
    ["dayLoss", { dayPnl: fixed("-0.5") }, "0.5"],
    ["drawdown", { drawdown: fixed("7") }, "7"],
    ["balanceDrift", { balanceDrift: fixed("0.01") }, "0.01"],
    ["staleData", { staleMs: 1_500 }, "1500"],
    ["unknownOrders", { unknownOrders: 3 }, "3"],
    ["unknownAge", { unknownMs: 9_000 }, "9000"],
    ["strategyFaults", { strategyFaults: 2 }, "2"],
  ] as const)("of %s is read from the measured numbers", (name, measured, expected) => {
    expect(valueOf(name, measured)).toBe(expected);
  });

  it.each(["position", "exposure", "sessionLoss", "dayLoss", "drawdown", "balanceDrift"] as const)(
    "of %s is not known without a mid",
    (name) => {
      const unknown: Partial<Measured> = {
        position: undefined,
        exposure: undefined,
        sessionPnl: undefined,
        dayPnl: undefined,
        drawdown: undefined,
        balanceDrift: undefined,
      };
      expect(valueOf(name, unknown)).toBeUndefined();
    },
  );

  it("counts rejects and the clock's change over its own window", () => {
    expect(valueOf("rejects", { rejects: (ms) => ms / MINUTE }, { window: "5m" })).toBe("5");
    expect(valueOf("clockChange", { clockChangeMs: (ms) => ms }, { window: "2m" })).toBe("120000");
  });

  it("of the taker share is the share of value that quotes took, without stop orders", () => {
    // 50 of 150 + 50 taken by quotes; the stop order's 1000 do not count.
    const fills = [
      fill({ value: 150 }),
      fill({ value: 50, isMaker: false }),
      fill({ value: 1000, isMaker: false, isQuote: false }),
    ];
    expect(valueOf("takerShare", { fills: () => fills }, { minFills: 2 })).toBe("0.25");
    expect(valueOf("takerShare", { fills: () => fills }, { minFills: 3 })).toBeUndefined();
  });

  it("of fills against the mid is their loss against the later mid by value", () => {
    // Bought 2 at 100 (value 200), mid later 99: loses 2. Sold 1 at 100, mid later 99.5: wins 0.5. (2 − 0.5) / 300 = 0.5 %.
    const fills = [
      fill({ value: 200, midLater: 99 }),
      fill({ sign: -1, midLater: 99.5 }),
      fill({ value: 9_999, midLater: undefined }),
    ];
    expect(valueOf("fillsAgainstMid", { fills: () => fills }, { minFills: 2 })).toBe("0.005");
    expect(valueOf("fillsAgainstMid", { fills: () => fills }, { minFills: 3 })).toBeUndefined();
  });

  it("of a fee surprise is the largest excess", () => {
    const fills = [fill({ feeExcess: -0.1 }), fill({ feeExcess: 0.0004 }), fill({ feeExcess: 0 })];
    expect(valueOf("feeSurprise", { fills: () => fills })).toBe("0.0004");
    expect(valueOf("feeSurprise", { fills: () => [fill({ feeExcess: undefined })] })).toBe("0");
  });
});

describe("a loss", () => {
  const day = 20_000 * 86_400_000;

  it("of the session counts from the first valuation, of the day from the first of the UTC day", () => {
    const baseline = new RiskBaseline([market]);
    expect(baseline.sessionPnl).toBeUndefined();
    baseline.mark(fixed("10"), day);
    baseline.mark(fixed("4"), day + 1);
    expect([baseline.sessionPnl, baseline.dayPnl, baseline.drawdown].map(String)).toEqual(
      [fixed("-6"), fixed("-6"), fixed("6")].map(String),
    );
    baseline.mark(fixed("5"), day + 86_400_000);
    baseline.mark(fixed("3"), day + 86_400_001);
    expect([baseline.sessionPnl, baseline.dayPnl, baseline.drawdown].map(String)).toEqual(
      [fixed("-7"), fixed("-2"), fixed("7")].map(String),
    );
  });

  it("of the day and the drawdown survive a restart, that of the session does not", () => {
    const before = new RiskBaseline([market]);
    before.mark(fixed("10"), day);
    before.mark(fixed("4"), day + 1);
    const saved = before.saved();
    const after = new RiskBaseline([market]);
    if (saved !== undefined) after.restore(saved);
    after.mark(fixed("3"), day + 2);
    expect([after.sessionPnl, after.dayPnl, after.drawdown].map(String)).toEqual(
      [fixed("0"), fixed("-7"), fixed("7")].map(String),
    );
  });

  it("of the day goes on when the clock goes back past midnight, and a day read from a wrong clock is corrected", () => {
    const baseline = new RiskBaseline([market]);
    baseline.mark(fixed("10"), day);
    baseline.mark(fixed("4"), day - 1);
    expect(baseline.dayPnl).toBe(fixed("-6"));
    expect(baseline.mark(fixed("3"), day - 3 * 86_400_000)).toBe(true);
    expect(baseline.saved()).toMatchObject({ day: 19_997, dayStart: "10" });
    baseline.mark(fixed("2"), day - 2 * 86_400_000);
    expect(baseline.dayPnl).toBe(0n);
  });

  it.each([-5, 5])("of the day is as before when a clock was %i days wrong for a while", (days) => {
    const wrong = days * 86_400_000;
    const baseline = new RiskBaseline([market]);
    baseline.mark(fixed("10"), day);
    baseline.mark(fixed("4"), day + 1);
    baseline.mark(fixed("3"), day + wrong);
    baseline.mark(fixed("2"), day + 3);
    expect(baseline.dayPnl).toBe(fixed("-8"));
    baseline.mark(fixed("1"), day + 86_400_000);
    baseline.mark(fixed("0"), day + 86_400_001);
    expect(baseline.dayPnl).toBe(fixed("-1"));
  });

  describe("of the day, when the clock returns over midnight,", () => {
    const hour = 3_600_000;
    const late = day - hour / 2;
    /** 6 lost until half past eleven, and 1 more at each further time. Returns the loss at each of them. */
    function lossesAt(times: readonly number[]): number[] {
      const baseline = new RiskBaseline([market]);
      baseline.mark(fixed("10"), late - hour);
      baseline.mark(fixed("4"), late);
      return times.map((timeMs, at) => {
        baseline.mark(fixed(String(3 - at)), timeMs);
        return fixedToNumber(negFixed(baseline.dayPnl ?? ZERO));
      });
    }

    it("goes on as before when the clock was an hour ahead for a while", () => {
      expect(lossesAt([late + hour, late + 60_000, day, day + 1])).toEqual([0, 8, 0, 1]);
    });

    it("stays that of the new day when the clock goes back to a time that the old day has had", () => {
      expect(lossesAt([day - 1, day, late, day + 1, day + 2])).toEqual([7, 0, 1, 2, 3]);
    });

    it("begins anew at the true midnight, whatever the wrong clock had shown of that day", () => {
      const times = [late + hour, late + 60_000, day - 1, day + 1, day + hour];
      expect(lossesAt(times)).toEqual([0, 8, 9, 0, 1]);
    });
  });

  it("moves by what the total has changed by over other markets, and begins anew after a forced resume", () => {
    const before = new RiskBaseline([market]);
    before.mark(fixed("10"), day);
    const saved = before.saved();
    const elsewhere = new RiskBaseline([marketId("3", "2")]);
    if (saved !== undefined) elsewhere.restore(saved, fixed("-3"));
    elsewhere.mark(fixed("1"), day);
    expect([elsewhere.dayPnl, elsewhere.drawdown]).toEqual([fixed("-6"), fixed("6")]);
    before.mark(fixed("4"), day + 1);
    before.rebase(day + 1);
    expect([before.sessionPnl, before.dayPnl, before.drawdown]).toEqual([0n, 0n, 0n]);
  });
});

describe("the meter", () => {
  const values = triggersSchema("bot").parse({
    rejects: { warn: 1, window: "1m" },
    fillsAgainstMid: { warn: "1%", window: "10m", after: "5s" },
    clockChange: { warn: "1s", window: "10m" },
  });
  const { midLater: _, ...facts } = fill();

  it("gives a fill the first mid that is old enough, once", () => {
    const meter = new RiskMeter(values);
    meter.fill(market, { ...facts, atMs: 1_000 });
    meter.advance(5_999, () => 101);
    expect(meter.fills(5_999, MINUTE)[0]?.midLater).toBeUndefined();
    meter.advance(6_000, () => 102);
    meter.advance(9_000, () => 103);
    expect(meter.fills(9_000, MINUTE)[0]?.midLater).toBe(102);
  });

  it("forgets what is older than every window", () => {
    const meter = new RiskMeter(values);
    meter.reject(0);
    meter.fill(market, { ...facts, atMs: 0 });
    meter.reject(590_000);
    expect(meter.rejects(590_000, MINUTE)).toBe(1);
    meter.advance(600_001, () => 100);
    expect(meter.size).toBe(1);
  });

  it("measures the clock against the reading that the window begins with", () => {
    const meter = new RiskMeter(values);
    meter.clockOffset(0, 5);
    meter.clockOffset(500_000, 2_005);
    expect(meter.clockChangeMs(500_000, 600_000)).toBe(2_000);
    meter.advance(1_050_000, () => undefined);
    meter.clockOffset(1_050_000, 2_004);
    expect(meter.clockChangeMs(1_050_000, 600_000)).toBe(2_000);
    meter.advance(1_200_000, () => undefined);
    expect(meter.clockChangeMs(1_200_000, 600_000)).toBe(1);
  });

  it("holds at most ten thousand entries of a kind", () => {
    const meter = new RiskMeter(values);
    for (let at = 0; at < 10_500; at += 1) meter.reject(at);
    expect(meter.size).toBe(10_000);
  });
});

describe("written triggers", () => {
  it("have a value for every trigger of the registry", () => {
    for (const name of triggerNames) expect(settingsOf(name).steps, name).toHaveLength(1);
  });
});
