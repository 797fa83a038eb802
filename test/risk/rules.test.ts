import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { guards, limitKeys, limits } from "../../src/risk/rules.ts";
import { balance } from "../../src/risk/rules/balance.ts";
import { liveBook } from "../../src/risk/rules/live-book.ts";
import { priceRule } from "../../src/risk/rules/price-rule.ts";
import { selfCross } from "../../src/risk/rules/self-cross.ts";
import { anOrder } from "../execution/an-order.ts";
import { aContext, aProposal, BASE, QUOTE } from "./a-context.ts";

const market = { orderType: "MARKET", price: 0 } as const;

describe("rules.ts", () => {
  it("lists every file of rules/, under its own name", () => {
    const files = readdirSync(new URL("../../src/risk/rules/", import.meta.url));
    const names = files.map((file) => file.replace(/\.ts$/, "")).sort();
    const listed = [...guards, ...limitKeys.map((key) => limits[key])].map(({ name }) => name);
    expect([...listed].sort()).toEqual(names);
  });

  it("gives each limit a setting of the same name", () => {
    for (const key of limitKeys) {
      expect(key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).toBe(limits[key].name);
    }
  });
});

describe("max-order-size", () => {
  const rule = limits.maxOrderSize;

  it("passes at the limit and denies above it", () => {
    const context = aContext();
    expect(rule.check(aProposal({ quantity: "2" }), context, fixed("2"))).toBeUndefined();
    expect(
      rule.check(aProposal({ quantity: "2.000000000000000001" }), context, fixed("2")),
    ).toEqual({ rule: "max-order-size", limit: "2", actual: "2.000000000000000001" });
  });

  it("converts quote mode at the mid, and denies an order without a mid", () => {
    const proposal = aProposal({ ...market, orderMode: 1, quantity: "201" });
    expect(rule.check(proposal, aContext(), fixed("2"))).toBeUndefined();
    expect(rule.check(proposal, aContext(), fixed("1.99"))?.actual).toBe("2");
    expect(rule.check(proposal, aContext({ mid: undefined }), fixed("2"))?.rule).toBe(
      "max-order-size",
    );
  });
});

describe("max-order-notional", () => {
  const rule = limits.maxOrderNotional;

  it("compares the exact price × quantity", () => {
    const proposal = aProposal({ price: 0.1, quantity: "3" });
    expect(rule.check(proposal, aContext(), fixed("0.3"))).toBeUndefined();
    expect(rule.check(proposal, aContext(), fixed("0.299999999999999999"))).toEqual({
      rule: "max-order-notional",
      limit: "0.299999999999999999",
      actual: "0.3",
    });
  });

  it("values market orders at the mid, and in quote mode by their amount", () => {
    const proposal = aProposal({ ...market, quantity: "2" });
    expect(rule.check(proposal, aContext(), fixed("201"))).toBeUndefined();
    expect(rule.check(proposal, aContext(), fixed("200.9"))?.actual).toBe("201");
    expect(rule.check(proposal, aContext({ mid: undefined }), fixed("1000"))).toBeDefined();
    const quoteMode = aProposal({ ...market, orderMode: 1, quantity: "150" });
    expect(rule.check(quoteMode, aContext({ mid: undefined }), fixed("150"))).toBeUndefined();
  });

  it("accepts any double as the mid", () => {
    const context = aContext({ mid: (0.1 + 0.2) / 3.3 });
    const proposal = aProposal({ ...market, quantity: "0.123456789012345678" });
    expect(rule.check(proposal, context, fixed("1"))).toBeUndefined();
  });
});

describe("max-position", () => {
  const rule = limits.maxPosition;
  const limit = fixed("10");

  it("counts the position, every possibly live order of the side, and this order", () => {
    const orders = [
      anOrder({ quantity: "2", executed: "0.5" }),
      anOrder({ phase: "in-flight" }),
      anOrder({ phase: "unknown", strategy: "other" }),
      anOrder({ cancel: "in-flight" }),
      anOrder({ phase: "ended", quantity: "50" }),
      anOrder({ side: "SELL", quantity: "50" }),
      anOrder({ marketId: marketId("9", "2"), quantity: "50" }),
    ];
    const context = aContext({ position: "4.5", orders });
    expect(rule.check(aProposal({ quantity: "1" }), context, limit)).toBeUndefined();
    expect(rule.check(aProposal({ quantity: "1.1" }), context, limit)).toEqual({
      rule: "max-position",
      limit: "10",
      actual: "10.1",
    });
  });

  it("may be the worth at the mid in quote token", () => {
    const inQuote = rule.params.parse({ quote: 1005 });
    const context = aContext({ position: "9" });
    expect(rule.check(aProposal({ quantity: "1" }), context, inQuote)).toBeUndefined();
    expect(rule.check(aProposal({ quantity: "1.1" }), context, inQuote)).toEqual({
      rule: "max-position",
      limit: "1005 quote",
      actual: "1015.05 quote",
    });
    expect(rule.check(aProposal(), aContext({ mid: undefined }), inQuote)?.actual).toBe(
      "no mid to measure it",
    );
  });

  it("bounds a short position in the same way", () => {
    const context = aContext({ position: "-8", orders: [anOrder({ side: "SELL" })] });
    expect(rule.check(aProposal({ side: "SELL" }), context, limit)).toBeUndefined();
    expect(rule.check(aProposal({ side: "SELL", quantity: "1.1" }), context, limit)).toBeDefined();
  });

  it("allows reducing a position beyond the limit, but not reversing it beyond the limit", () => {
    const context = aContext({ position: "12" });
    expect(rule.check(aProposal({ quantity: "0.1" }), context, limit)).toBeDefined();
    expect(rule.check(aProposal({ side: "SELL", quantity: "22" }), context, limit)).toBeUndefined();
    expect(rule.check(aProposal({ side: "SELL", quantity: "23" }), context, limit)).toBeDefined();
  });
});

describe("max-net", () => {
  const rule = limits.maxNet;

  it("counts position and orders of all markets with the base token, and this order", () => {
    const orders = [
      anOrder({ quantity: "2", executed: "0.5" }),
      anOrder({ marketId: marketId("1", "9"), quantity: "3" }),
      anOrder({ marketId: marketId("9", "2"), quantity: "50" }),
      anOrder({ side: "SELL", marketId: marketId("1", "9"), quantity: "50" }),
    ];
    const context = aContext({ position: "-20", net: "4.5", orders });
    expect(rule.check(aProposal({ quantity: "1" }), context, fixed("10"))).toBeUndefined();
    expect(rule.check(aProposal({ quantity: "1.1" }), context, fixed("10"))).toEqual({
      rule: "max-net",
      limit: "10",
      actual: "10.1",
    });
  });

  it("lets another market take back what one has, however large both are", () => {
    const context = aContext({ position: "-100", net: "8" });
    expect(
      rule.check(aProposal({ side: "SELL", quantity: "18" }), context, fixed("10")),
    ).toBeUndefined();
    expect(
      rule.check(aProposal({ side: "SELL", quantity: "19" }), context, fixed("10")),
    ).toBeDefined();
    expect(rule.check(aProposal({ quantity: "3" }), context, fixed("10"))).toBeDefined();
  });
});

describe("max-open-orders", () => {
  it("counts every possibly live order in any market, and this order", () => {
    const orders = [
      anOrder({ phase: "in-flight" }),
      anOrder({ phase: "unknown" }),
      anOrder({ marketId: marketId("9", "2"), strategy: "other" }),
      anOrder({ phase: "ended" }),
    ];
    const context = aContext({ orders });
    expect(limits.maxOpenOrders.check(aProposal(), context, 4)).toBeUndefined();
    expect(limits.maxOpenOrders.check(aProposal(), context, 3)).toEqual({
      rule: "max-open-orders",
      limit: 3,
      actual: 4,
    });
  });
});

describe("price-collar", () => {
  const rule = limits.priceCollar;

  it("bounds the distance from the mid on both sides", () => {
    const context = aContext({ mid: 100 });
    for (const price of [95, 105]) {
      expect(rule.check(aProposal({ price }), context, 0.05)).toBeUndefined();
    }
    expect(rule.check(aProposal({ price: 105.1 }), context, 0.05)).toEqual({
      rule: "price-collar",
      limit: "5%",
      actual: "5.1%",
    });
    expect(rule.check(aProposal({ price: 94.9 }), context, 0.05)).toBeDefined();
  });

  it("denies every order without a mid", () => {
    expect(rule.check(aProposal(), aContext({ mid: undefined }), 0.05)).toBeDefined();
  });

  it("ignores the price of a market order", () => {
    expect(rule.check(aProposal(market), aContext(), 0.05)).toBeUndefined();
  });
});

describe("stale-book", () => {
  it("bounds the age of the book and the own orders", () => {
    const { nowMs } = aContext();
    const rule = limits.staleBook;
    const received = (provenMs: number | undefined) =>
      rule.check(aProposal(), aContext({ provenMs }), 10_000);
    expect(received(nowMs - 10_000)).toBeUndefined();
    expect(received(nowMs + 5)).toBeUndefined();
    expect(received(nowMs - 10_500)).toEqual({
      rule: "stale-book",
      limit: "10s",
      actual: "10.5s",
    });
    expect(received(undefined)?.rule).toBe("stale-book");
  });
});

describe("live-book", () => {
  it("denies every order while the book is not in sync", () => {
    expect(liveBook.check(aProposal(), aContext())).toBeUndefined();
    expect(liveBook.check(aProposal(), aContext({ isBookLive: false }))?.rule).toBe("live-book");
  });
});

describe("price-rule", () => {
  it.each([
    [100.01, "0.001", true],
    [100.001, "1", false],
    [123456, "1", false],
    [123450, "1", true],
    [9999.9, "0.0001", true],
    [10000, "0.00001", true],
    [10000, "0.000009", false],
    [9999.9, "0.00009", false],
    [0.5, "0.99", false],
    [0, "1", false],
    [-5, "1", false],
  ])("a limit price of %d with size %s: %s", (price, quantity, isLegal) => {
    const reason = priceRule.check(aProposal({ price, quantity }), aContext());
    expect(reason === undefined).toBe(isLegal);
  });

  it("names the smallest legal size", () => {
    expect(priceRule.check(aProposal({ price: 1834.5, quantity: "0.00001" }), aContext())).toEqual({
      rule: "price-rule",
      limit: "at least 0.0001",
      actual: "0.00001",
    });
  });

  it("requires price 0 for a market order, and a size for the tier of the mid", () => {
    expect(
      priceRule.check(aProposal({ ...market, quantity: "0.001" }), aContext()),
    ).toBeUndefined();
    expect(priceRule.check(aProposal({ ...market, quantity: "0.0001" }), aContext())).toBeDefined();
    expect(priceRule.check(aProposal({ ...market, price: 5 }), aContext())).toBeDefined();
  });

  it("allows quote mode for market orders only, without a smallest size", () => {
    const quoteMode = { orderMode: 1, quantity: "0.00001" } as const;
    expect(priceRule.check(aProposal({ ...market, ...quoteMode }), aContext())).toBeUndefined();
    expect(priceRule.check(aProposal({ ...quoteMode, quantity: "5" }), aContext())).toBeDefined();
    expect(
      priceRule.check(aProposal({ ...market, orderMode: 1, quantity: "0" }), aContext()),
    ).toEqual({ rule: "price-rule", limit: "above 0", actual: "0" });
  });
});

describe("price-rule in a market with one tick and lot", () => {
  const { market: grid } = aContext();
  const context = aContext({
    market: { ...grid, rules: { type: "fixed", tick: "0.01", lot: "0.001", minSize: "0.005" } },
  });

  it.each([
    [61837.63, "0.005", undefined],
    [61837.635, "0.005", "a price on the grid"],
    [61837.63, "0.0055", "a multiple of the lot 0.001"],
    [61837.63, "0.004", "at least 0.005"],
  ])("a limit price of %d with size %s: %s", (price, quantity, limit) => {
    const reason = priceRule.check(aProposal({ price, quantity }), context);
    expect(reason?.limit).toBe(limit);
  });

  it("checks stop prices, take profits and stop losses against the tick", () => {
    const stop = { stopPrice: 61837.635, kind: "stop-loss" } as const;
    const quantity = "0.005";
    expect(priceRule.check(aProposal({ price: 61837.63, quantity, stop }), context)?.actual).toBe(
      "61837.635",
    );
    const tpsl = { tpLimit: 61900.01, slTrigger: 61800.005, slLimit: undefined };
    expect(priceRule.check(aProposal({ price: 61837.63, quantity, tpsl }), context)?.actual).toBe(
      "61800.005",
    );
  });
});

describe("balance", () => {
  it("requires price × quantity of quote for a buy, and the quantity of base for a sell", () => {
    const context = aContext({ free: { [BASE]: "2", [QUOTE]: "200" } });
    expect(balance.check(aProposal({ quantity: "2" }), context)).toBeUndefined();
    expect(balance.check(aProposal({ quantity: "2.01" }), context)).toEqual({
      rule: "balance",
      limit: "200",
      actual: "201",
    });
    expect(balance.check(aProposal({ side: "SELL", quantity: "2" }), context)).toBeUndefined();
    expect(balance.check(aProposal({ side: "SELL", quantity: "2.1" }), context)).toBeDefined();
  });

  it("denies every order before the balances are known", () => {
    expect(balance.check(aProposal(), aContext({ free: undefined }))?.limit).toBe("not known yet");
  });

  it("values market orders at the mid", () => {
    const context = aContext({ free: { [BASE]: "1", [QUOTE]: "201" } });
    expect(balance.check(aProposal({ ...market, quantity: "2" }), context)).toBeUndefined();
    expect(balance.check(aProposal({ ...market, quantity: "2.1" }), context)).toBeDefined();
    const sell = { ...market, side: "SELL", orderMode: 1 } as const;
    expect(balance.check(aProposal({ ...sell, quantity: "100" }), context)).toBeUndefined();
    expect(balance.check(aProposal({ ...sell, quantity: "101" }), context)).toBeDefined();
  });
});

describe("self-cross", () => {
  it.each([
    ["working", "none"],
    ["in-flight", "none"],
    ["working", "in-flight"],
  ] as const)("denies crossing an own order that is %s, its cancel %s", (phase, cancel) => {
    const orders = [anOrder({ side: "SELL", price: 101, phase, cancel, strategy: "other" })];
    expect(selfCross.check(aProposal({ price: 100.99 }), aContext({ orders }))).toBeUndefined();
    expect(selfCross.check(aProposal({ price: 101 }), aContext({ orders }))).toEqual({
      rule: "self-cross",
      limit: "own SELL at 101",
      actual: "101",
    });
  });

  it("lets an order in doubt block nothing", () => {
    const orders = [anOrder({ side: "SELL", price: 101, phase: "unknown" })];
    expect(selfCross.check(aProposal({ price: 101 }), aContext({ orders }))).toBeUndefined();
  });

  it("applies to sells in the same way", () => {
    const context = aContext({ orders: [anOrder({ price: 100 })] });
    expect(selfCross.check(aProposal({ side: "SELL", price: 100.01 }), context)).toBeUndefined();
    expect(selfCross.check(aProposal({ side: "SELL", price: 100 }), context)).toBeDefined();
  });

  it("counts any own order as crossed by a market order, and an own market order as crossed by any order", () => {
    const far = aContext({ orders: [anOrder({ side: "SELL", price: 120 })] });
    expect(selfCross.check(aProposal(market), far)).toBeDefined();
    const own = aContext({ orders: [anOrder({ side: "SELL", price: 0, phase: "in-flight" })] });
    expect(selfCross.check(aProposal(), own)?.limit).toBe("own SELL at market");
  });

  it("ignores orders of the same side, of other markets, and ended ones", () => {
    const orders = [
      anOrder({ price: 100 }),
      anOrder({ side: "SELL", price: 90, marketId: marketId("9", "2") }),
      anOrder({ side: "SELL", price: 90, phase: "ended" }),
    ];
    expect(selfCross.check(aProposal(), aContext({ orders }))).toBeUndefined();
  });
});
