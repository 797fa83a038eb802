import { describe, expect, it } from "vitest";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { ownOrdersSuite } from "./own-orders-suite.ts";

describe("the table of own orders is what the tracker knows", () => {
  // The other worlds are in test/soak/own-orders.test.ts.
  const reached = ownOrdersSuite([{ strategy: contingentStrategy, seeds: [2_005] }]);

  it("through everything that an order can come to", () => {
    const wanted = ["order restored", "effect modify", "stop triggered", "stopLoss triggered"];
    for (const role of ["order", "stop", "takeProfit", "stopLoss"]) {
      wanted.push(`${role} NEW`, `${role} FILLED`, `${role} CANCELED`);
    }
    expect(wanted.filter((what) => !reached.has(what))).toEqual([]);
  });
});
