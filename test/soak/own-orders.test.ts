import { describe } from "vitest";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import quoting from "../../strategies/pure-market-making.ts";
import { ownOrdersSuite } from "../sim/own-orders-suite.ts";

describe("the table of own orders is what the tracker knows", () => {
  ownOrdersSuite([
    { strategy: quoting, seeds: [2_001, 2_002, 2_003] },
    { strategy: contingentStrategy, seeds: [2_001, 2_002, 2_003] },
  ]);
});
