import { describe, expect, it } from "vitest";
import type { CommandOutcome, RefusalReason } from "../../src/domain/command.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import {
  cancelCommandsOf,
  cancelsOf,
  Harness,
  hashOf,
  market,
  placesOf,
  readsOf,
  scripted,
  unwatched,
} from "./harness.ts";

/** What the rate budget makes of 429 and of other failures that ask to wait. */

const rate = { perSecond: 20, burst: 40, concurrency: 64 };

function quoting(more: Partial<typeof rate> = {}): Harness {
  return new Harness({
    decide: () => setQuotes({ bids: [{ price: 1990, size: "1" }], asks: [] }),
    config: {
      rate: { ...rate, ...more },
      timing: unwatched,
    },
  });
}

const balancesFailed = (reason: RefusalReason): Input => ({
  type: "readFailed",
  read: "balances",
  key: "",
  message: "not now",
  reason,
  retryAfterMs: 60_000,
});

/** The bot is about to place its first quote when its query of the balances fails. */
function failingBalances(reason: RefusalReason): Harness {
  const bot = quoting();
  bot.step();
  bot.step(
    { type: "venueTime", offsetMs: 0, roundTripMs: 1 },
    { type: "stream", state: "opened", reason: "" },
  );
  bot.step({ type: "openOrders", orders: [] }, bot.balances());
  // The next query of the balances is open when the book arrives.
  bot.after(30_000, { type: "stream", state: "alive", reason: "" });
  bot.step(balancesFailed(reason));
  return bot;
}

describe("a failed read that asks to wait", () => {
  it("delays only that read when the venue failed", () => {
    const bot = failingBalances("unavailable");
    expect(placesOf(bot.step(bot.snapshot(1999, 2001)))).toHaveLength(1);
    expect(readsOf(bot.after(59_000))).not.toContain("balances");
    expect(readsOf(bot.after(1_000))).toContain("balances");
  });

  it("delays everything but cancels when the venue answered 429", () => {
    const bot = failingBalances("rateLimited");
    expect(placesOf(bot.step(bot.snapshot(1999, 2001)))).toEqual([]);
    const later = bot.after(60_000, { type: "stream", state: "alive", reason: "" });
    expect(placesOf(later)).toHaveLength(1);
  });
});

describe("a 429 to a command", () => {
  const limited: CommandOutcome = {
    type: "refused",
    reason: "rateLimited",
    message: "slow down",
    retryAfterMs: 5_000,
  };
  const unreadable: CommandOutcome = {
    type: "unknown",
    message: "slow down",
    isRateLimited: true,
    retryAfterMs: 5_000,
  };

  it.each([["the venue's", limited] as const, ["a proxy's unreadable", unreadable] as const])(
    "lowers the rate and stops placements, %s",
    (_, outcome) => {
      const bot = quoting();
      bot.begin();
      const intent = [...bot.ids.keys()][0] ?? 0;
      bot.step({ type: "response", intent, outcome });
      expect(bot.notes).toContainEqual({
        type: "warning",
        code: "RATE_LIMITED",
        message: "the venue answered 429: at most 10 requests a second for now",
      });
      expect(placesOf(bot.after(4_000))).toEqual([]);
    },
  );

  it("lets cancels pass at the lower rate, long before the wait is over", () => {
    const bids = [1990, 1980].map((price) => ({ price, size: "1" }));
    const bot = new Harness({
      decide: () => setQuotes({ bids, asks: [] }),
      config: { rate: { ...rate, perSecond: 2, burst: 10 } },
    });
    bot.begin();
    const intents = [...bot.ids.keys()];
    for (const intent of intents) bot.step(bot.accepted(intent));
    const canceled = bot.step({ type: "operator", command: "pause" });
    expect(cancelsOf(canceled)).toHaveLength(2);
    const responses = canceled.flatMap((effect): Input[] =>
      effect.type === "cancel"
        ? [{ type: "response", intent: effect.intent, outcome: limited }]
        : [],
    );
    expect(cancelsOf(bot.step(...responses))).toEqual([]);
    expect(cancelsOf(bot.after(999))).toEqual([]);
    expect(cancelsOf(bot.after(1))).toHaveLength(1);
    expect(cancelsOf(bot.after(1_000))).toHaveLength(1);
  });
});

it("sends cancels again in turns, so that a low rate leaves no order without them", () => {
  const bids = [1990, 1980, 1970, 1960].map((price) => ({ price, size: "1" }));
  const bot = new Harness({
    decide: () => setQuotes({ bids, asks: [] }),
    config: { rate: { ...rate, perSecond: 1, burst: 20 }, timing: unwatched },
  });
  bot.begin();
  for (const intent of Array.from(bot.ids.keys())) bot.step(bot.accepted(intent));
  const times = new Map<string, number>();
  let effects = bot.step({ type: "operator", command: "pause" });
  for (let second = 0; second < 30; second += 1) {
    for (const { orderId, intent } of cancelCommandsOf(effects)) {
      times.set(orderId, (times.get(orderId) ?? 0) + 1);
      bot.step({ type: "response", intent, outcome: { type: "unknown", message: "no answer" } });
    }
    effects = bot.after(1_000);
  }
  const counts = [...times.values()];
  const fewest = Math.min(...counts);
  expect(counts).toHaveLength(4);
  expect(fewest).toBeGreaterThan(1);
  expect(Math.max(...counts) - fewest).toBeLessThanOrEqual(1);
});

describe("cancels, when the venue responds in time", () => {
  /** Cancels that leave at once in a pause, after a second and a half of orders of which each left before the response to the last one. */
  function canceledAtOnce(): number {
    let levels = 1;
    const bot = new Harness({
      decide: () =>
        setQuotes({
          bids: Array.from({ length: levels }, (_, at) => ({ price: 1990 - at, size: "1" })),
          asks: [],
        }),
      config: { rate: { ...rate, burst: 100, concurrency: 8 } },
    });
    bot.begin();
    let { seq } = bot;
    const step = (...inputs: Input[]): readonly Effect[] => {
      seq += 1;
      return bot.kernel.step({ seq, nowMs: unixMs(bot.nowMs), inputs }).effects;
    };
    while (levels < 15) {
      levels += 1;
      bot.nowMs += 100;
      const intent = levels - 1;
      const move = bot.depth(100 + intent, [1998, levels], []);
      const signed: Input = { type: "signed", intent, txHash: hashOf(intent) };
      expect(placesOf(intent === 1 ? step(move) : step(signed, move))).toHaveLength(1);
      bot.nowMs += 50;
      step(bot.accepted(intent));
    }
    return cancelsOf(step({ type: "operator", command: "pause" })).length;
  }

  it("keep to the number of requests that may be open", () => {
    // Two reads hold the others; those that hang hold none.
    expect(canceledAtOnce()).toBe(6);
  });
});

it("serves strategies in turns, whichever decides more often, when only the end of a request lets the next one leave", () => {
  const strategyOf = (name: string, price: number, everyMs: number) => ({
    name,
    definition: scripted(({ nowMs }) => {
      const bids = [0, 1, 2, 3, 4, 5].map((level) => ({ price: price - level, size: "1" }));
      return setQuotes({ bids, asks: [], wakeAtMs: nowMs + everyMs });
    }),
    params: {},
    marketId: market.marketId,
    seed: 1,
  });
  const strategies = [strategyOf("fast", 1980, 1), strategyOf("slow", 1990, 60_000)];
  const bot = new Harness({
    decide: () => keepQuotes(),
    config: { strategies, rate: { ...rate, concurrency: 8 }, timing: unwatched },
  });
  const sent = [...placesOf(bot.begin())];
  for (let at = 0; at < sent.length; at += 1) {
    sent.push(...placesOf(bot.after(1, bot.accepted(sent[at]?.intent ?? 0))));
  }
  const names = sent.map(({ price }) => (price > 1980 ? "slow" : "fast"));
  expect(names).toHaveLength(12);
  for (let turn = 0; turn < 12; turn += 2) {
    expect(names.slice(turn, turn + 2).sort()).toEqual(["fast", "slow"]);
  }
});

it("moves the order that has rested longest first when the rate budget is short, so that no level waits for one that moves all the time", () => {
  const prices = [1980, 1970];
  const bot = new Harness({
    decide: ({ nowMs }) =>
      setQuotes({
        bids: prices.map((price) => ({ price, size: "1" })),
        asks: [],
        wakeAtMs: nowMs + 50,
      }),
    config: { rate: { perSecond: 4, burst: 6, concurrency: 64 }, timing: unwatched },
  });
  const placed = new Map<number, number>();
  const answers = (effects: readonly Effect[]): readonly Input[] =>
    effects.flatMap((effect): readonly Input[] => {
      if (effect.type === "cancel") {
        const intent = [...bot.ids].find(([, id]) => id === effect.orderId)?.[0] ?? 0;
        placed.delete(intent);
        return [bot.accepted(effect.intent), bot.event(intent, "CANCELED")];
      }
      if (effect.type !== "place") return [];
      placed.set(effect.intent, effect.price);
      return [bot.accepted(effect.intent), bot.event(effect.intent, "NEW")];
    });
  let inputs = answers(bot.begin());
  const run = (ms: number, move: number): void => {
    for (let left = ms; left > 0; left -= 100) {
      inputs = answers(bot.after(100, ...inputs, { type: "stream", state: "alive", reason: "" }));
      prices[0] = (prices[0] ?? 0) + move;
    }
  };
  run(5_000, 0);
  run(5_000, 0.1);
  prices[1] = 1971;
  run(5_000, 0.1);
  expect([...placed.values()]).toContain(1971);
});

describe("a list without an end", () => {
  const everySecond = Array.from({ length: 39 }, (_, at) => 1_000 * (at + 1));

  /** Each page wants a token for the next one 5 ms after it got its own. Runs for `ms`, and returns what left when. */
  function run(ms: number, moveMs = 1_000) {
    let price = 1990;
    const bot = new Harness({
      decide: () => setQuotes({ bids: [{ price, size: "1" }], asks: [] }),
      config: { rate, timing: unwatched },
    });
    bot.begin();
    for (const intent of bot.ids.keys()) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    const startMs = bot.nowMs;
    const left = {
      pages: 0,
      cancels: [] as number[],
      places: [] as number[],
      balances: [] as number[],
    };
    let inputs: Input[] = [{ type: "tokenWanted" }];
    let update = 101;
    while (bot.nowMs < startMs + ms) {
      const atMs = bot.nowMs - startMs;
      // The target price moves, and the order with it.
      const moved = 1990 - Math.floor(atMs / moveMs);
      if (moved !== price) inputs.push(bot.depth(update++, [1998, (price = moved)], []));
      const effects = bot.step(...inputs, { type: "stream", state: "alive", reason: "" });
      inputs = [];
      for (const effect of effects) {
        if (effect.type === "tokens") {
          left.pages += effect.count;
          for (let at = 0; at < effect.count; at += 1) inputs.push({ type: "tokenWanted" });
        } else if (effect.type === "cancel") {
          left.cancels.push(atMs);
          const placed = [...bot.ids].find(([, id]) => id === effect.orderId)?.[0] ?? 0;
          inputs.push(bot.accepted(effect.intent), bot.event(placed, "CANCELED"));
        } else if (effect.type === "place") {
          left.places.push(atMs);
          inputs.push(bot.accepted(effect.intent), bot.event(effect.intent, "NEW"));
        } else if (effect.type === "balances") {
          left.balances.push(atMs);
          inputs.push(bot.balances());
        }
      }
      bot.nowMs += 5;
    }
    return left;
  }

  it("delays no cancel, and orders and other reads by a few tokens only", () => {
    const { cancels, places, balances, pages } = run(40_000);
    expect(cancels).toEqual(everySecond);
    expect(places).toHaveLength(everySecond.length);
    for (const [at, placedMs] of places.entries()) {
      expect(placedMs - (everySecond[at] ?? 0)).toBeLessThanOrEqual(400);
    }
    expect(balances).toEqual([expect.closeTo(30_000, -3)]);
    // What nobody else takes is the list's.
    expect(pages).toBeGreaterThan(700);
  });

  it("goes on while orders want every token", () => {
    const { pages, places } = run(20_000, 200);
    expect(pages).toBeGreaterThan(100);
    expect(places.length).toBeGreaterThan(60);
  });
});
