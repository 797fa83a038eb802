import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Kernel } from "../../src/kernel/kernel.ts";
import type { OrderUpdate } from "../../src/orders/order-snapshot.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { faults, RISK_LADDER } from "../../src/sim/faults.ts";
import { simulate } from "../../src/sim/simulate.ts";
import quoting from "../../strategies/pure-market-making.ts";
import { Projection } from "../orders/projection.ts";

/**
 * Goal: whatever happens to a bot, the table of own orders that its readers have is what its tracker knows. Method: whole simulated
 * worlds with faults, kills and restarts; after every step the order notes go into a table, which is compared with the tracker.
 */
const timeout = 60_000;
let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

// Replaced by plain functions: a spy keeps every call, so that all batches and results of a world would stay in memory.
const { step } = Kernel.prototype;
const { takeUpdates } = OrderTracker.prototype;

/** Of the world at work, by the kernels of its runs. */
let projections: WeakMap<Kernel, Projection>;
let problems: string[];

function compare(projection: Projection, { notes, ended }: ReturnType<Kernel["step"]>): void {
  const updates = notes.flatMap((note) => (note.type === "order" ? [note] : []));
  projection.take(updates);
  projection.compare();
  const isNewlyEnded = ({ order, before }: OrderUpdate): boolean =>
    order.state === "ended" && before?.state !== "ended";
  if (ended.length === 0 && updates.length === 0) return;
  expect(ended).toEqual(updates.filter(isNewlyEnded).flatMap(({ order }) => order.orderId ?? []));
}

beforeEach(() => {
  projections = new WeakMap();
  problems = [];
  let asked: OrderTracker | undefined;
  OrderTracker.prototype.takeUpdates = function (this: OrderTracker) {
    asked = this;
    return takeUpdates.call(this);
  };
  Kernel.prototype.step = function (this: Kernel, batch) {
    asked = undefined;
    const result = step.call(this, batch);
    if (asked === undefined) throw new Error("a kernel publishes its orders in every step");
    const projection = projections.get(this) ?? new Projection(asked);
    projections.set(this, projection);
    try {
      compare(projection, result);
    } catch (thrown) {
      problems.push(String(thrown));
    }
    return result;
  };
});
afterEach(() => {
  Kernel.prototype.step = step;
  OrderTracker.prototype.takeUpdates = takeUpdates;
});

describe("the table of own orders is what the tracker knows", () => {
  const seeds = [2_001, 2_002, 2_003];
  // A risk ladder keeps three worlds from everything below.
  const kinds = faults.filter(({ name }) => name !== RISK_LADDER);
  const reached = new Set<string>();
  for (const strategy of [quoting, contingentStrategy]) {
    it.each(seeds)(`of ${strategy.name}, seed %i`, { timeout }, async (seed) => {
      const result = await simulate({ seed, crypto, strategy, useModify: true, kinds });
      for (const what of result.reached.keys()) reached.add(what);
      expect([...problems.slice(0, 3), ...result.violations]).toEqual([]);
    });
  }

  it("through everything that an order can come to", () => {
    const wanted = ["order restored", "effect modify", "stop triggered", "stopLoss triggered"];
    for (const role of ["order", "stop", "takeProfit", "stopLoss"]) {
      wanted.push(`${role} NEW`, `${role} FILLED`, `${role} CANCELED`);
    }
    expect(wanted.filter((what) => !reached.has(what))).toEqual([]);
  });
});
