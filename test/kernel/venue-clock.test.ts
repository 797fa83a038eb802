import { describe, expect, it } from "vitest";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { riskSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, placesOf, start, unwatched } from "./harness.ts";

/** A bot with one or more quotes, and a venue that accepts everything and whose clock the test can set. */
class ClockWorld {
  readonly bot: Harness;
  offsetMs = 0;
  readonly cancelNonces: number[] = [];
  readonly placeNonces: number[] = [];
  #waiting: Input[] = [];
  readonly #open = new Set<number>();

  constructor(prices: readonly number[] = [1990]) {
    const bids = prices.map((price) => ({ price, size: "1" }));
    // This venue sends no depth events, and its events bear our time: they say nothing about the liveness of channels.
    this.bot = new Harness({
      decide: () => setQuotes({ bids, asks: [] }),
      config: { timing: unwatched },
    });
    this.#take(this.bot.begin());
  }

  /** Lets seconds pass. The venue responds to every query and command a second later. */
  run(seconds: number, ...inputs: Input[]): void {
    let more = inputs;
    for (let second = 0; second < seconds; second += 1) {
      const responses = this.#waiting;
      this.#waiting = [{ type: "stream", state: "alive", reason: "" }];
      this.#take(this.bot.after(1_000, ...responses, ...more));
      more = [];
    }
  }

  get quote(): number | undefined {
    return [...this.#open][0];
  }

  warnings(): string[] {
    return this.bot.notes.flatMap((note) =>
      note.type === "warning" && note.code === "VENUE_CLOCK_BACK" ? [note.message] : [],
    );
  }

  #take(effects: readonly Effect[]): void {
    const { bot } = this;
    for (const effect of effects) if (effect.type === "place") this.placeNonces.push(effect.nonce);
    for (const { intent } of placesOf(effects)) {
      this.#open.add(intent);
      this.#waiting.push(bot.accepted(intent), bot.event(intent, "NEW"));
    }
    for (const effect of effects) {
      if (effect.type === "cancel") this.#cancel(effect);
      else if (effect.type === "venueTime") {
        this.#waiting.push({ type: "venueTime", offsetMs: this.offsetMs, roundTripMs: 1 });
      } else if (effect.type === "balances") this.#waiting.push(bot.balances());
      else if (effect.type === "fills") this.#waiting.push({ type: "fills", fills: [] });
      else if (effect.type === "openOrders") {
        const orders = [...this.#open].map((intent) => bot.report(intent, "NEW"));
        this.#waiting.push({ type: "openOrders", orders });
      } else if (effect.type === "order" && this.#open.has(Number(effect.orderId))) {
        const report = bot.report(Number(effect.orderId), "NEW");
        this.#waiting.push({ type: "order", orderId: effect.orderId, report });
      }
    }
  }

  #cancel({ intent, nonce, orderId }: Extract<Effect, { type: "cancel" }>): void {
    const order = Number(orderId);
    this.cancelNonces.push(nonce);
    if (this.#open.delete(order)) {
      this.#waiting.push(this.bot.accepted(intent), this.bot.event(order, "CANCELED"));
    }
  }
}

/** The bot runs for ten minutes, then the venue's clock is set back by five minutes. */
function worldSetBack(prices?: readonly number[]): ClockWorld {
  const world = new ClockWorld(prices);
  world.run(600);
  world.run(2, { type: "operator", command: "pause" });
  world.run(3, { type: "operator", command: "resume" });
  world.offsetMs = -300_000;
  world.run(65);
  return world;
}

describe("a venue's clock that was set back by minutes", () => {
  it("causes a warning with the difference", () => {
    const world = worldSetBack();
    expect(world.warnings()).toEqual(["the venue's clock was set back by 300 s: nonces follow it"]);
  });

  it("delays no cancel: each has an unused nonce near that clock", () => {
    const world = worldSetBack();
    const { nowMs } = world.bot;
    const before = world.cancelNonces.length;
    world.run(1, { type: "operator", command: "pause" });
    expect(world.cancelNonces.slice(before)).toEqual([nowMs + 1_000 - 300_000]);
    world.run(2);
    expect(world.quote).toBeUndefined();
  });

  it("delays no new order: each has an unused nonce near that clock", () => {
    const world = worldSetBack();
    world.run(3, { type: "operator", command: "pause" });
    expect(world.quote).toBeUndefined();
    world.run(2, { type: "operator", command: "resume" });
    expect(world.quote).toBeDefined();
    const { nowMs } = world.bot;
    const nonce = world.placeNonces.at(-1) ?? 0;
    expect(Math.abs(nonce - (nowMs - 300_000))).toBeLessThan(5_000);
    expect(world.placeNonces.slice(0, -1)).not.toContain(nonce);
    expect(world.cancelNonces).not.toContain(nonce);
  });
});

describe("a journal whose highest nonce is an hour ahead of the venue's clock", () => {
  /** Nonces of the first orders of a run after such a journal. */
  function firstNonces(nonceHighWater = start + 3_600_000, nonceWindowMs = 60_000): number[] {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
      config: { nonceWindowMs },
    });
    bot.step({ type: "restored", restored: { nonceHighWater, orders: [], carried: [] } });
    const effects = bot.begin();
    return effects.flatMap((effect) => (effect.type === "place" ? [effect.nonce] : []));
  }

  it("does not keep the next run from quoting with nonces near that clock", () => {
    expect(firstNonces()).toEqual([start]);
  });

  it("does not push nonces out of a window that is shorter than a minute", () => {
    const nonceHighWater = start + 20_000;
    expect(firstNonces(nonceHighWater, 10_000)).toEqual([start]);
    // Within half of the window nonces rise.
    expect(firstNonces(nonceHighWater, 50_000)).toEqual([nonceHighWater + 1]);
  });
});

describe("a placement without a response", () => {
  /** Its venue does not know the order, and has a clock that goes back by `backMs` after 30 s. Resolves with when the order ends. */
  function endMs(backMs: number): number {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
      config: {
        timing: { ...unwatched, venueTimeMs: 30_000 },
        // No second order has room.
        risk: riskSchema.parse({ maxPosition: "1" }),
        // Most reads and commands get no response here, and hold a slot.
        rate: { perSecond: 20, burst: 40, concurrency: 1_000 },
      },
    });
    const [{ intent } = { intent: 0 }] = placesOf(bot.begin());
    let inputs: Input[] = [
      { type: "response", intent, outcome: { type: "unknown", message: "time-out" } },
    ];
    while (bot.nowMs < start + 120_000) {
      const effects = bot.after(20, ...inputs);
      inputs = effects.flatMap((effect): Input[] => {
        if (effect.type === "order") return [{ ...effect, report: "absent" }];
        if (effect.type !== "venueTime") return [];
        return [{ type: "venueTime", offsetMs: -backMs, roundTripMs: 20 }];
      });
      const isEnded = bot.notes.some(
        (note) => note.type === "order" && note.order.status === "NEVER_PLACED",
      );
      if (isEnded) return bot.nowMs - start;
    }
    return Number.POSITIVE_INFINITY;
  }

  it("counts until its nonce has expired by the venue's clock, and ends with the next query", () => {
    expect(endMs(0)).toBeGreaterThanOrEqual(61_020);
    expect(endMs(0)).toBeLessThan(61_100);
  });

  it("counts for longer when that clock was set back", () => {
    expect(endMs(11_000)).toBeGreaterThanOrEqual(72_020);
    expect(endMs(11_000)).toBeLessThan(72_100);
  });
});
