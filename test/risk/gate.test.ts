import { fixed } from "../../src/domain/fixed.ts";
import { describe, expect, it } from "vitest";
import { RiskGate } from "../../src/risk/gate.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { anOrder } from "../execution/an-order.ts";
import { aContext, aProposal, BASE, QUOTE } from "./a-context.ts";

function gate(written: unknown = {}): RiskGate {
  return new RiskGate(riskSchema.parse(written));
}

describe("risk gate", () => {
  it("passes a sane quote with default settings", () => {
    expect(gate().check(aProposal(), aContext())).toEqual({ allowed: true });
  });

  it.each([
    ["live-book", {}, {}, { isBookLive: false }],
    ["price-rule", {}, { price: 100.001 }, {}],
    ["budget", {}, {}, { budgetFree: () => fixed("50") }],
    ["self-cross", {}, {}, { orders: [anOrder({ side: "SELL", price: 99 })] }],
    ["balance", {}, {}, { free: { [QUOTE]: "99" } }],
    ["stale-book", {}, {}, { provenMs: 0 }],
    ["price-collar", {}, { price: 80 }, {}],
    ["max-order-size", { maxOrderSize: "0.9" }, {}, {}],
    ["max-order-notional", { maxOrderNotional: 99 }, {}, {}],
    ["max-position", { maxPosition: "2" }, {}, { position: "1.5" }],
    ["max-net", { maxNet: "2" }, {}, { position: "-5", net: "1.5" }],
    ["max-open-orders", { maxOpenOrders: 1 }, {}, { orders: [anOrder()] }],
  ] as const)("applies the rule %s", (rule, settings, proposal, context) => {
    expect(gate(settings).check(aProposal(proposal), aContext(context))).toMatchObject({
      allowed: false,
      reason: { rule },
      waits: false,
    });
  });

  it("lets null turn off a limit, but never a guard", () => {
    const off = { staleBook: null, priceCollar: null, maxOpenOrders: null };
    const orders = Array.from({ length: 200 }, () => anOrder({ price: 10 }));
    const context = { provenMs: undefined, orders };
    expect(gate(off).check(aProposal({ price: 20 }), aContext(context))).toEqual({ allowed: true });
    expect(
      gate(off).check(aProposal({ price: 20 }), aContext({ ...context, isBookLive: false })),
    ).toMatchObject({ reason: { rule: "live-book" } });
  });

  it("applies a market's own limits where they are configured", () => {
    const settings = {
      maxOrderSize: "5",
      maxPosition: "10",
      markets: { "1_2": { maxOrderSize: "0.5" }, "9_2": { maxOrderSize: null } },
    };
    expect(gate(settings).check(aProposal(), aContext())).toMatchObject({
      reason: { rule: "max-order-size", limit: "0.5" },
    });
    expect(
      gate(settings).check(aProposal({ quantity: "0.5" }), aContext({ position: "9.6" })),
    ).toMatchObject({ reason: { rule: "max-position", limit: "10" } });
  });

  it.each([
    ["max-position", { maxPosition: "2" }, { quantity: "2" }, {}],
    ["max-open-orders", { maxOpenOrders: 1 }, {}, {}],
    ["balance", {}, {}, { free: { [QUOTE]: "50" } }],
    ["self-cross", {}, { side: "SELL", price: 100 }, { free: { [BASE]: "1" } }],
  ] as const)(
    "reports that a denial by %s waits for cancels only while one is under way",
    (rule, settings, proposal, context) => {
      const verdict = (cancel: "none" | "in-flight") =>
        gate(settings).check(
          aProposal(proposal),
          aContext({ ...context, orders: [anOrder({ cancel })] }),
        );
      expect(verdict("in-flight")).toMatchObject({ reason: { rule }, waits: true });
      expect(verdict("none")).toMatchObject({ reason: { rule }, waits: false });
    },
  );

  it("does not wait when the freed room would not be enough", () => {
    const orders = [anOrder({ cancel: "in-flight" })];
    expect(
      gate({ maxPosition: "2" }).check(aProposal({ quantity: "2.1" }), aContext({ orders })),
    ).toMatchObject({ waits: false });
    expect(
      gate().check(aProposal({ quantity: "2" }), aContext({ orders, free: { [QUOTE]: "50" } })),
    ).toMatchObject({ reason: { rule: "balance" }, waits: false });
  });

  it("accepts placements only, since a cancel has a different type", () => {
    type Taken = Parameters<RiskGate["check"]>[0];
    type Cancel = { readonly type: "cancel"; readonly orderId: string };
    const isTaken: Cancel extends Taken ? true : false = false;
    expect(isTaken).toBe(false);
  });
});
