import { describe, expect, it } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { cancelsOf, Harness, hashOf, market, placesOf, start, unwatched } from "./harness.ts";

/** A bot with one or more quotes, and a venue that accepts everything and whose clock the test can set. */
class ClockWorld {
  readonly bot: Harness;
  offsetMs = 0;
  refusesCancels = false;
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
    const refused = {
      type: "refused",
      reason: "invalid",
      message: "nonce",
      retryAfterMs: undefined,
    } as const;
    if (this.refusesCancels) {
      this.#waiting.push({ type: "response", intent, outcome: refused });
    } else if (this.#open.delete(order)) {
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
  it("causes a warning with the difference, repeated once a minute", () => {
    const world = worldSetBack();
    expect(world.warnings()[0]).toMatch(
      /^the venue's clock stands behind the nonces already used by 2\d\d s: unused ones are taken$/,
    );
    world.run(65);
    expect(world.warnings().at(-1)).toMatch(/by 1\d\d s/);
    world.run(300);
    expect(world.warnings().length).toBeLessThan(7);
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

  it("switches cancels to a nonce ahead of all others and back at each refusal, in case the venue reads another clock", () => {
    const world = worldSetBack();
    world.refusesCancels = true;
    const before = world.cancelNonces.length;
    const used = Math.max(...world.cancelNonces);
    world.run(6, { type: "operator", command: "pause" });
    const [first = 0, second = 0, third = 0] = world.cancelNonces.slice(before);
    expect(first).toBeLessThan(used);
    expect(second).toBeGreaterThan(used);
    expect(third).toBeLessThan(used);
  });

  it("switches the nonces once for refusals of cancels that were sent together", () => {
    const world = worldSetBack([1990, 1980]);
    world.refusesCancels = true;
    const before = world.cancelNonces.length;
    const used = Math.max(...world.cancelNonces);
    world.run(6, { type: "operator", command: "pause" });
    const isAhead = world.cancelNonces.slice(before).map((nonce) => nonce > used);
    expect(isAhead.slice(0, 4)).toEqual([false, false, true, true]);
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
    bot.step({ type: "restored", restored: { nonceHighWater, orders: [] } });
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

describe("before the venue's clock was read, cancels of an earlier run's orders", () => {
  const OFFSET_MS = 400_000;
  /** A halted bot whose earlier run left two orders; `offsetMs` is what its journal says about the venue's clock. */
  function restarted(offsetMs: number | undefined, ...more: Input[]) {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [], asks: [] }),
      config: { probeOrderId: hashOf(99) },
    });
    const orders = [1, 2].map((nonce) => ({
      orderId: hashOf(nonce),
      nonce: start + OFFSET_MS + nonce,
      strategy: "maker",
      marketId: market.marketId,
      side: "BUY" as const,
      price: 1990,
      quantity: "1",
      isAcknowledged: true as const,
      executed: "0",
      tradeIds: [],
    }));
    for (const { nonce, orderId } of orders) {
      const intent = nonce - start - OFFSET_MS;
      bot.ids.set(intent, orderId);
      bot.places.set(intent, { side: "BUY", price: 1990, quantity: fixed("1") });
    }
    const restored = {
      nonceHighWater: start + OFFSET_MS + 2,
      orders,
      ...(offsetMs === undefined ? {} : { venueOffsetMs: offsetMs }),
    };
    const effects = bot.step(
      { type: "restored", restored },
      { type: "operator", command: "halt", reason: "" },
      ...more,
    );
    return { bot, effects };
  }
  const noncesOf = (effects: readonly Effect[]): number[] =>
    effects.flatMap((effect) => (effect.type === "cancel" ? [effect.nonce] : []));
  const refused = (intent: number): Input => ({
    type: "response",
    intent,
    outcome: { type: "refused", reason: "invalid", message: "nonce", retryAfterMs: undefined },
  });

  it("go by the last reading that the journal has, and prove nothing about the signer", () => {
    const { effects } = restarted(OFFSET_MS);
    expect(cancelsOf(effects)).toEqual([hashOf(1), hashOf(2)]);
    expect(noncesOf(effects)).toEqual([start + OFFSET_MS + 3, start + OFFSET_MS + 4]);
  });

  it("go by our own clock when the venue refuses those nonces, together", () => {
    const { bot, effects } = restarted(OFFSET_MS);
    const intents = effects.flatMap((effect) => (effect.type === "cancel" ? [effect.intent] : []));
    const again: number[] = [];
    let inputs = intents.map(refused);
    let last = effects;
    for (let turn = 0; turn < 20; turn += 1) {
      // The venue shows both orders open whenever they are queried.
      for (const effect of last) {
        if (effect.type !== "order") continue;
        const { orderId } = effect;
        inputs.push({ type: "order", orderId, report: bot.report(Number(orderId), "NEW") });
      }
      last = bot.after(500, ...inputs);
      again.push(...noncesOf(last));
      inputs = [];
    }
    expect(again).toHaveLength(2);
    for (const nonce of again) expect(nonce).toBeLessThan(start + 60_000);
  });

  it("say nothing of the signer: the probe keeps to a nonce near the clock when they go ahead of all others", () => {
    const { bot } = restarted(undefined);
    const read = bot.step({ type: "venueTime", offsetMs: 0, roundTripMs: 1 });
    const outcome = { type: "unknown", message: "no response" } as const;
    const inputs = read.flatMap((effect): Input[] => {
      if (effect.type !== "cancel") return [];
      const { intent, orderId } = effect;
      return [
        orderId === hashOf(99) ? { type: "response", intent, outcome } : refused(effect.intent),
      ];
    });
    expect(inputs).toHaveLength(3);
    bot.after(100, ...inputs);
    const again = bot.after(2_500);
    const probe = again.find((effect) => effect.type === "cancel" && effect.orderId === hashOf(99));
    expect(probe).toMatchObject({ nonce: expect.any(Number) });
    const [nonce = 0] = noncesOf(probe === undefined ? [] : [probe]);
    expect(Math.abs(nonce - bot.nowMs)).toBeLessThan(60_000);
    // An earlier run may have used it, so its refusal says little. Another one's proves that the signer is the reason.
    const probeOf = (effects: readonly Effect[]): number | undefined =>
      effects.flatMap((effect) =>
        effect.type === "cancel" && effect.orderId === hashOf(99) ? [effect.intent] : [],
      )[0];
    bot.after(100, refused(probeOf(again) ?? 0));
    const third = bot.after(2_500);
    expect(noncesOf(third)).not.toContain(nonce);
    expect(probeOf(third)).toBeDefined();
    bot.after(100, refused(probeOf(third) ?? 0));
    expect(bot.after(600_000)).toContainEqual(
      expect.objectContaining({
        type: "finished",
        reason: expect.stringContaining("the venue does not take our signed commands: nonce"),
      }),
    );
  });
});

describe("a placement without a response", () => {
  /** Its venue responds to queries within 20 ms, does not know the order, and has a clock that goes back by `backMs` after 30 s. */
  function run(backMs: number) {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
      config: {
        timing: { ...unwatched, venueTimeMs: 3_600_000 },
        // Most reads get no response here, and hold a slot.
        rate: { perSecond: 20, burst: 40, concurrency: 100 },
      },
    });
    const [{ intent } = { intent: 0 }] = placesOf(bot.begin());
    const readsMs: number[] = [];
    let inputs: Input[] = [
      { type: "response", intent, outcome: { type: "unknown", message: "time-out" } },
    ];
    for (;;) {
      const effects = bot.after(20, ...inputs);
      inputs = effects.flatMap((effect): Input[] => {
        if (effect.type === "order") return [{ ...effect, report: "absent" }];
        if (effect.type !== "venueTime") return [];
        readsMs.push(bot.nowMs - start);
        return [{ type: "venueTime", offsetMs: -backMs, roundTripMs: 20 }];
      });
      const end = bot.notes.find(
        (note) => note.type === "order" && note.order.status === "NEVER_PLACED",
      );
      if (end !== undefined) return { endMs: bot.nowMs - start, readsMs };
    }
  }

  it("ends two responses after its nonce has expired: the venue's clock is read, then the order", () => {
    expect(run(0)).toEqual({ readsMs: [61_020], endMs: 61_060 });
  });

  it("counts for longer when that reading shows that the clock was set back", () => {
    expect(run(11_000)).toEqual({ readsMs: [61_020, 72_020], endMs: 72_060 });
  });
});

describe("a placement without a response while the venue's clock cannot be read", () => {
  /** Reads of the clock fail with a wait of 30 s from 60 s on. No query finds the order. */
  function run() {
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
      config: {
        timing: { ...unwatched, venueTimeMs: 3_600_000 },
        // Most reads get no response here, and hold a slot.
        rate: { perSecond: 20, burst: 40, concurrency: 100 },
      },
    });
    const [{ intent } = { intent: 0 }] = placesOf(bot.begin());
    const readsMs: number[] = [];
    let inputs: Input[] = [
      { type: "response", intent, outcome: { type: "unknown", message: "time-out" } },
    ];
    const pass = (untilMs: number): readonly Effect[] => {
      const all: Effect[] = [];
      while (bot.nowMs < start + untilMs) {
        const effects = bot.after(20, ...inputs);
        all.push(...effects);
        inputs = effects.flatMap((effect): Input[] => {
          if (effect.type === "order") return [{ ...effect, report: "absent" }];
          if (effect.type !== "venueTime") return [];
          readsMs.push(bot.nowMs - start);
          const failure = { message: "503", reason: "unavailable", retryAfterMs: 30_000 } as const;
          return [{ type: "readFailed", read: "venueTime", key: "", ...failure }];
        });
      }
      return all;
    };
    return { bot, readsMs, pass };
  }

  it("reads it again only after the wait that the venue asked for", () => {
    const { pass, readsMs } = run();
    pass(130_000);
    expect(readsMs).toEqual([61_020, 91_040, 121_060]);
  });

  it("reads it with each query once the bot stops, and names the order when the stop fails", () => {
    const { bot, pass, readsMs } = run();
    pass(63_000);
    bot.step({ type: "operator", command: "stop" });
    const effects = pass(75_000);
    expect(readsMs.length).toBeGreaterThan(1);
    expect(effects).toContainEqual({
      type: "finished",
      ok: false,
      reason:
        "asked to stop; own orders could not be settled within 10 s; 1 order without a response may still be placed if the venue's clock was set back",
    });
  });
});
