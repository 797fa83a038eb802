import { expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, hashOf } from "../kernel/harness.ts";
import { collectedMemory } from "./memory.ts";

/**
 * Runs a kernel for a simulated week within seconds, with moving quotes, fills, lost responses and broken streams. Memory and the
 * sizes of all collections have to stay as they were on the second day.
 */

const SECOND = 1_000;
const DAY_MS = 86_400_000;
const STEP_MS = 5 * SECOND;

/** A venue that accepts everything, fills some of it, and is sometimes unreliable. */
class Week {
  readonly #prng = new Prng(7);
  mid = 2000;
  readonly bot: Harness;
  readonly #open = new Map<string, { intent: number; executed: boolean }>();
  #waiting: Input[] = [];
  #trades = 0;
  #bookId = 100;
  #touch: [number, number] = [1999, 2001];

  constructor() {
    this.bot = new Harness({
      decide: () => {
        const quote = (share: number) => ({ price: this.mid * (1 + share), size: "1" });
        return setQuotes({
          bids: [quote(-0.001), quote(-0.002)],
          asks: [quote(0.001), quote(0.002)],
          tolerance: 0.0002,
        });
      },
      config: { useModify: true },
    });
    this.#take(this.bot.begin());
  }

  step(): void {
    const prng = this.#prng;
    this.mid *= 1 + 0.0005 * prng.normal();
    const inputs = this.#waiting;
    this.#waiting = [];
    inputs.push({ type: "stream", state: "alive", reason: "" });
    inputs.push(this.#depth());
    if (prng.chance(0.0005)) this.#reconnect(inputs);
    if (prng.chance(0.1)) this.#fill(inputs);
    this.#take(this.bot.after(STEP_MS, ...inputs));
    // Observers would have taken these by now.
    this.bot.notes.length = 0;
    for (const intent of this.bot.ids.keys()) {
      if (this.bot.ids.size <= 200) break;
      this.bot.ids.delete(intent);
      this.bot.places.delete(intent);
    }
  }

  /** Moves the one level of each side. */
  #depth(): Input {
    const [bid, ask] = this.#touch;
    this.#touch = [gridRules.roundDown(this.mid * 0.9999), gridRules.roundUp(this.mid * 1.0001)];
    const [newBid, newAsk] = this.#touch;
    this.#bookId += 1;
    return this.bot.depth(this.#bookId, [bid, 0, newBid, 5], [ask, 0, newAsk, 5]);
  }

  #reconnect(inputs: Input[]): void {
    inputs.push(
      { type: "stream", state: "closed", reason: "lost" },
      { type: "stream", state: "opened", reason: "" },
    );
  }

  #fill(inputs: Input[]): void {
    const [first] = this.#open;
    if (first === undefined) return;
    const [id, { intent }] = first;
    this.#open.delete(id);
    this.#trades += 1;
    inputs.push(this.bot.event(intent, "FILLED", { quantity: "1", tradeId: `t${this.#trades}` }));
  }

  #take(effects: readonly Effect[]): void {
    const { bot } = this;
    for (const effect of effects) {
      switch (effect.type) {
        case "place":
        case "modify": {
          if (effect.type === "modify") this.#end(effect.orderId, true);
          this.#open.set(hashOf(effect.intent), { intent: effect.intent, executed: false });
          this.#respond(effect.intent);
          this.#waiting.push(bot.event(effect.intent, "NEW"));
          break;
        }
        case "cancel":
          this.#respond(effect.intent);
          this.#end(effect.orderId, !this.#prng.chance(0.02));
          break;
        case "order": {
          const { orderId } = effect;
          const known = this.#open.get(orderId);
          const intent = Number(orderId);
          const report = bot.ids.has(intent)
            ? bot.report(intent, known === undefined ? "CANCELED" : "NEW")
            : ("absent" as const);
          this.#waiting.push({ type: "order", orderId, report });
          break;
        }
        default:
          this.#read(effect);
      }
    }
  }

  /** Loses some responses, so that the kernel has to query the orders. */
  #respond(intent: number): void {
    this.#waiting.push(
      this.#prng.chance(0.01)
        ? { type: "response", intent, outcome: { type: "unknown", message: "no answer" } }
        : this.bot.accepted(intent),
    );
  }

  #end(orderId: string, isTold: boolean): void {
    const order = this.#open.get(orderId);
    if (order === undefined) return;
    this.#open.delete(orderId);
    if (isTold) this.#waiting.push(this.bot.event(order.intent, "CANCELED"));
  }

  #read(effect: Effect): void {
    const { bot } = this;
    if (effect.type === "venueTime") {
      this.#waiting.push({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    } else if (effect.type === "balances") this.#waiting.push(bot.balances());
    else if (effect.type === "fills") this.#waiting.push({ type: "fills", fills: [] });
    else if (effect.type === "book") {
      this.#waiting.push(bot.snapshot(...this.#touch, this.#bookId));
    } else if (effect.type === "openOrders") {
      const orders: OrderReport[] = [...this.#open.values()].map(({ intent }) =>
        bot.report(intent, "NEW"),
      );
      this.#waiting.push({ type: "openOrders", orders });
    }
  }
}

it("runs for a week without growing", () => {
  const week = new Week();
  const days: { sizes: Readonly<Record<string, number>>; heap: number; rss: number }[] = [];
  for (let day = 1; day <= 7; day += 1) {
    for (let ms = 0; ms < DAY_MS; ms += STEP_MS) week.step();
    const { heapBytes, rssBytes } = collectedMemory();
    days.push({ sizes: week.bot.kernel.sizes, heap: heapBytes / 1e6, rss: rssBytes / 1e6 });
  }
  const [, second, , , , , last] = days;
  if (second === undefined || last === undefined) throw new Error("a week");
  for (const { sizes, heap, rss } of days) {
    process.stdout.write(
      `${heap.toFixed(1)} MB, ${rss.toFixed(0)} MB rss ${JSON.stringify(sizes)}\n`,
    );
  }
  // The bounds were reached, so the run did exercise them.
  expect(last.sizes).toMatchObject({ ended: 10_000, nonces: 65_536, missingFills: 0 });
  expect(last.sizes["live"]).toBeLessThanOrEqual(12);
  for (const [name, size] of Object.entries(last.sizes)) {
    const bound = {
      ids: 10_012,
      intents: 10_012,
      ended: 10_000,
      nonces: 65_536,
      tradeIds: 40_000,
      balanceChanges: 10_000,
    };
    expect(size, name).toBeLessThanOrEqual(
      Object.entries(bound).find(([key]) => key === name)?.[1] ?? 32,
    );
  }
  expect(last.heap - second.heap).toBeLessThan(4);
  expect(last.rss - second.rss).toBeLessThan(40);
});
