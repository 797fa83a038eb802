import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { Proposal } from "../../src/risk/context.ts";
import { limits } from "../../src/risk/rules.ts";
import { balance } from "../../src/risk/rules/balance.ts";
import { priceRule } from "../../src/risk/rules/price-rule.ts";
import { selfCross } from "../../src/risk/rules/self-cross.ts";
import { stopSide } from "../../src/risk/rules/stop-side.ts";
import { anOrder } from "../execution/an-order.ts";
import { aContext, aProposal, BASE, QUOTE } from "./a-context.ts";

/** Risk rules for stop orders, and for quotes with take profit and stop loss. */

const tpsl = { tpLimit: 105, slTrigger: 95, slLimit: undefined };
const withLegs = (more: Partial<NonNullable<Proposal["tpsl"]>> = {}): Proposal => ({
  ...aProposal(),
  tpsl: { ...tpsl, ...more },
});
/** A stop market order that sells 1 when the price falls to 95. */
const aStop = (
  overrides: Parameters<typeof aProposal>[0] = {},
  stop: Proposal["stop"] = { stopPrice: 95, kind: "stop-loss" },
): Proposal => aProposal({ side: "SELL", orderType: "MARKET", price: 0, stop, ...overrides });
const unfired = { kind: "stop-loss", isFired: false, isTurned: false } as const;

describe("stop-side", () => {
  const at = (side: "BUY" | "SELL", kind: "stop-loss" | "take-profit", lastTrade?: number) =>
    stopSide.check(aStop({ side }, { stopPrice: 95, kind }), aContext({ lastTrade }))?.actual;

  it("requires each kind on its side of the last trade; an equal stop price is legal only if it fires at or above", () => {
    const sides = [94, 95, 96].map((last) => [
      at("SELL", "stop-loss", last),
      at("BUY", "stop-loss", last),
      at("SELL", "take-profit", last),
      at("BUY", "take-profit", last),
    ]);
    expect(sides).toEqual([
      ["95", undefined, undefined, "95"],
      ["95", undefined, undefined, "95"],
      [undefined, "95", "95", undefined],
    ]);
  });

  it("uses the mid without a trade, denies stops without both, and passes quotes", () => {
    expect(at("SELL", "stop-loss")).toBeUndefined();
    expect(at("SELL", "take-profit")).toBe("95");
    const blind = aContext({ mid: undefined });
    expect(stopSide.check(aStop(), blind)?.limit).toContain("no price");
    expect(stopSide.check(aProposal(), blind)).toBeUndefined();
  });
});

describe("price-rule", () => {
  const no = (proposal: Proposal) => priceRule.check(proposal, aContext())?.limit;

  it("checks every price against the grid", () => {
    expect(no(withLegs())).toBeUndefined();
    for (const key of ["tpLimit", "slTrigger", "slLimit"] as const) {
      expect(no(withLegs({ [key]: key === "tpLimit" ? 105.001 : 95.00001 }))).toBe(
        "a price on the grid",
      );
    }
    expect(no(aStop())).toBeUndefined();
    expect(no(aStop({}, { stopPrice: 95.00001, kind: "stop-loss" }))).toBe("a price on the grid");
    expect(no(aStop({ orderType: "LIMIT", price: 94.00001 }))).toBe("a price on the grid");
  });

  it("requires the exits on either side of the price, reversed for a sell", () => {
    expect(no(withLegs({ tpLimit: 100 }))).toBe("stopLoss < price < takeProfit");
    expect(no(withLegs({ slTrigger: 100 }))).toBe("stopLoss < price < takeProfit");
    expect(no({ ...withLegs(), side: "SELL" })).toBe("takeProfit < price < stopLoss");
    const sale = { tpLimit: 95, slTrigger: 105, slLimit: 106 };
    expect(no({ ...withLegs(sale), side: "SELL" })).toBeUndefined();
  });

  it("takes the smallest size of a stop market order from its stop price (D24)", () => {
    const far = { stopPrice: 9, kind: "stop-loss" } as const;
    expect(no(aStop({ quantity: "0.05" }))).toBeUndefined();
    expect(no(aStop({ quantity: "0.05" }, far))).toBe("at least 0.1");
  });
});

describe("balance", () => {
  const no = (proposal: Proposal, free: Record<string, string>) =>
    balance.check(proposal, aContext({ free }));

  it("requires for a stop its base, or its value at the limit or stop price", () => {
    expect(no(aStop(), { [BASE]: "1" })).toBeUndefined();
    expect(no(aStop(), { [BASE]: "0.9" })).toMatchObject({ actual: "1" });
    const buy = aStop({ side: "BUY" }, { stopPrice: 105, kind: "stop-loss" });
    expect(no(buy, { [QUOTE]: "104.9" })).toMatchObject({ actual: "105" });
    const limited = { ...buy, orderType: "LIMIT", price: 106 } as const;
    expect(no(limited, { [QUOTE]: "105.9" })).toMatchObject({ actual: "106" });
  });

  it("requires for a sell with exits what buying back may cost beyond the proceeds", () => {
    const sale = { ...withLegs({ tpLimit: 95, slTrigger: 105 }), side: "SELL" } as const;
    // 105 minus 100 and the taker fee of 0.05 % on it.
    expect(no(sale, { [BASE]: "1", [QUOTE]: "5.05" })).toBeUndefined();
    expect(no(sale, { [BASE]: "1", [QUOTE]: "5" })).toMatchObject({
      limit: "5",
      actual: "5.05 for its stop loss",
    });
    // The exits of a buy sell what it bought.
    expect(no(withLegs(), { [QUOTE]: "100", [BASE]: "0" })).toBeUndefined();
  });
});

describe("self-cross", () => {
  const no = (proposal: Proposal, ...orders: ReturnType<typeof anOrder>[]) =>
    selfCross.check(proposal, aContext({ orders }))?.limit;

  it("ignores an own stop that has not fired, and counts a fired one at any price", () => {
    const waiting = anOrder({ side: "SELL", price: 0, trigger: { ...unfired, stopPrice: 99 } });
    const fired = { ...waiting, trigger: { ...unfired, stopPrice: 99, isFired: true } };
    expect(no(aProposal(), waiting)).toBeUndefined();
    expect(no(aProposal(), fired)).toBe("own SELL at market");
    expect(no(aStop(), anOrder({ price: 200 }))).toBeUndefined();
  });

  it("counts a waiting take profit at its price, both as own order and as proposal", () => {
    const waiting = anOrder({ side: "SELL", price: 105, phase: "pending", leg: "takeProfit" });
    expect(no(aProposal({ price: 104.9 }), waiting)).toBeUndefined();
    expect(no(aProposal({ price: 105 }), waiting)).toBe("own SELL at 105");
    expect(no(withLegs(), anOrder({ price: 104.9 }))).toBeUndefined();
    expect(no(withLegs(), anOrder({ price: 105 }))).toBe("own BUY at 105");
  });
});

describe("limits", () => {
  it("max-open-orders counts a quote with exits as three", () => {
    const rule = limits.maxOpenOrders;
    expect(rule.check(withLegs(), aContext(), 3)).toBeUndefined();
    expect(rule.check(withLegs(), aContext({ orders: [anOrder()] }), 3)).toMatchObject({
      actual: 4,
    });
  });

  it("price-collar measures a waiting order from its trigger price", () => {
    const rule = limits.priceCollar;
    const far = { stopPrice: 50, kind: "stop-loss" } as const;
    const limited = (price: number) => aStop({ orderType: "LIMIT", price }, far);
    expect(rule.check(aStop({}, far), aContext(), 0.05)).toBeUndefined();
    expect(rule.check(limited(48), aContext(), 0.05)).toBeUndefined();
    expect(rule.check(limited(47), aContext(), 0.05)).toMatchObject({ actual: "6%" });
    expect(rule.check(withLegs({ slTrigger: 60, slLimit: 58 }), aContext(), 0.05)).toBeUndefined();
    expect(rule.check(withLegs({ slTrigger: 60, slLimit: 50 }), aContext(), 0.05)).toMatchObject({
      rule: "price-collar",
    });
  });

  it("max-position and max-order-notional count a stop order", () => {
    const { maxPosition, maxOrderNotional } = limits;
    expect(maxPosition.check(aStop(), aContext({ position: "-1" }), fixed("1"))).toMatchObject({
      actual: "2",
    });
    expect(maxPosition.check(aStop(), aContext({ position: "1" }), fixed("0"))).toBeUndefined();
    expect(maxOrderNotional.check(aStop(), aContext(), fixed("94"))).toMatchObject({
      actual: "95",
    });
  });
});
