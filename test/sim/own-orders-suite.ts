import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import type { OrderUpdate } from "../../src/orders/order-snapshot.ts";
import { OrderTracker } from "../../src/orders/order-tracker.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { faults } from "../../src/sim/faults.ts";
import { simulate } from "../../src/sim/simulate.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import { Projection } from "../orders/projection.ts";

const { step } = Kernel.prototype;

/** Of the world at work, by the kernels of its runs. */
let projections: WeakMap<Kernel, Projection>;
let problems: string[];

function compare(
  projection: Projection,
  tracker: OrderTracker,
  { notes, ended }: ReturnType<Kernel["step"]>,
): void {
  const updates = notes.flatMap((note) => (note.type === "order" ? [note] : []));
  projection.take(updates);
  projection.compare();
  const isNewlyEnded = ({ order, before }: OrderUpdate): boolean =>
    order.state === "ended" && before?.state !== "ended";
  if (ended.length === 0 && updates.length === 0) return;
  // An order is named as ended once its fills are all booked, which may be later.
  const missing = new Set(tracker.missingFills());
  const isSettled = (orderId: OrderId): boolean => {
    const order = tracker.byId(orderId);
    return order?.phase === "ended" && !missing.has(order);
  };
  expect(ended.filter((orderId) => !isSettled(orderId))).toEqual([]);
  const newlyEnded = updates.filter(isNewlyEnded).flatMap(({ order }) => order.orderId ?? []);
  // A refused one waits for a list of open orders that does not show it.
  const awaitsList = (orderId: OrderId): boolean => tracker.byId(orderId)?.isRefused === true;
  const isDue = (id: OrderId): boolean => isSettled(id) && !awaitsList(id);
  expect(newlyEnded.filter((id) => isDue(id) && !ended.includes(id))).toEqual([]);
}

export interface OwnOrderWorlds {
  readonly strategy: StrategyDefinition;
  readonly seeds: readonly number[];
}

/**
 * Goal: whatever happens to a bot, the table of own orders that its readers have is what its tracker knows. Method: whole simulated
 * worlds with faults, kills and restarts; after every step the order notes go into a table, which is compared with the tracker. Returns
 * what the worlds reach.
 */
export function ownOrdersSuite(worlds: readonly OwnOrderWorlds[]): ReadonlySet<string> {
  let crypto: Crypto;
  beforeAll(async () => {
    crypto = await loadCrypto();
  });

  beforeEach(() => {
    projections = new WeakMap();
    problems = [];
    const asked = vi.spyOn(OrderTracker.prototype, "takeUpdates");
    // No spy: it would keep the batches and results of a whole world.
    Kernel.prototype.step = function (this: Kernel, batch) {
      asked.mockClear();
      const result = step.call(this, batch);
      const tracker: unknown = asked.mock.contexts[0];
      if (!(tracker instanceof OrderTracker))
        throw new Error("a kernel publishes its orders in every step");
      const projection = projections.get(this) ?? new Projection(tracker);
      projections.set(this, projection);
      try {
        compare(projection, tracker, result);
      } catch (thrown) {
        problems.push(String(thrown));
      }
      return result;
    };
  });
  afterEach(() => {
    Kernel.prototype.step = step;
    vi.restoreAllMocks();
  });

  const wanted = [
    "requests-lost",
    "answers-lost",
    "frames-lost",
    "refused",
    "sockets-cut",
    "kill",
    "power-cut",
  ];
  const some = faults.filter(({ name }) => wanted.includes(name));
  const reached = new Set<string>();
  for (const { strategy, seeds } of worlds) {
    it.each(seeds)(`of ${strategy.name}, seed %i`, async (seed) => {
      const result = await simulate({ seed, crypto, strategy, useModify: true, faults: some });
      for (const what of result.reached.keys()) reached.add(what);
      expect([...problems.slice(0, 3), ...result.violations]).toEqual([]);
    });
  }
  return reached;
}
