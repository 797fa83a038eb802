import { describe, expect, it } from "vitest";
import type { MarketId } from "../../src/domain/ids.ts";
import type { KernelConfig } from "../../src/kernel/config.ts";
import type { Input } from "../../src/kernel/input.ts";
import type { SourceConfig } from "../../src/kernel/sources/source-config.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import type { SourceView } from "../../src/strategy/view.ts";
import { testMarket } from "../support/exchange.ts";
import { cancelsOf, Harness, market, placesOf, scripted, unwatched } from "./harness.ts";

const btc: SourceConfig = {
  name: "btc",
  origin: { type: "input" },
  maxAgeMs: 5_000,
  whenOld: "stop",
};

const value = (bid: number, ask = bid, name = "btc"): Input => ({ type: "source", name, bid, ask });

class Quoting extends Harness {
  seen: Readonly<Record<string, SourceView | undefined>> = {};

  constructor(sources: readonly SourceConfig[], config: Partial<KernelConfig> = {}) {
    super({
      decide: ({ sources: views }) => {
        this.seen = views;
        return setQuotes({
          bids: [{ price: 1990, size: "1" }],
          asks: [{ price: 2010, size: "1" }],
        });
      },
      config: { sources, timing: unwatched, ...config },
    });
  }

  #id = 100;
  #acknowledged = 0;

  /** An event of the book that leaves it as it is. */
  tick(): Input {
    this.#id += 1;
    return this.depth(this.#id, [1999, 5], [2001, 5]);
  }

  /** Acknowledges what has been sent since it did. */
  acknowledge(): this {
    for (const intent of [...this.ids.keys()].slice(this.#acknowledged)) {
      this.step(this.accepted(intent), this.event(intent, "NEW"));
    }
    this.#acknowledged = this.ids.size;
    return this;
  }

  get reasons(): (string | undefined)[] {
    return this.notes.flatMap((note) => (note.type === "quoteReason" ? [note.reason] : []));
  }

  warnings(code: string): string[] {
    return this.notes.flatMap((note) =>
      note.type === "warning" && note.code === code ? [note.message] : [],
    );
  }
}

describe("a source", () => {
  it("holds quotes back until it has a price, and pulls them once it is older than maxAge", () => {
    const bot = new Quoting([btc]);
    expect(placesOf(bot.begin())).toEqual([]);
    expect(bot.reasons).toContain("source btc has no price yet");
    expect(placesOf(bot.step(value(100, 101)))).toHaveLength(2);
    bot.acknowledge();
    expect(bot.kernel.nextDeadlineMs).toBeLessThanOrEqual(bot.nowMs + 5_001);
    expect(cancelsOf(bot.after(5_000))).toEqual([]);
    expect(cancelsOf(bot.after(1))).toHaveLength(2);
    expect(bot.reasons).toContain("source btc is older than 5s");
  });

  it("wakes the kernel at the moment at which it becomes old", () => {
    const bot = new Quoting([btc]);
    bot.begin();
    bot.step(value(100));
    bot.acknowledge();
    const oldMs = bot.nowMs + 5_001;
    bot.after(4_000, bot.tick());
    while (bot.nowMs < oldMs && bot.kernel.nextDeadlineMs !== undefined) {
      bot.after(bot.kernel.nextDeadlineMs - bot.nowMs);
    }
    expect(bot.nowMs).toBe(oldMs);
    expect(bot.reasons.at(-1)).toBe("source btc is older than 5s");
  });

  it("shows bid, ask, mid, age and lag, and calls the strategy with each new value", () => {
    const bot = new Quoting([btc]);
    bot.begin();
    bot.after(0, { type: "source", name: "btc", bid: 100, ask: 102, timeMs: bot.nowMs - 30 });
    expect(bot.seen.btc).toEqual({ bid: 100, ask: 102, mid: 101, ageMs: 0, lagMs: 30 });
    bot.after(700, bot.tick());
    bot.after(1_000, value(104, 104, "unknown"), value(103, 103));
    expect(bot.seen).toEqual({ btc: { bid: 103, ask: 103, mid: 103, ageMs: 0, lagMs: undefined } });
  });

  it("widens the quotes while it is old when its configuration says so", () => {
    const ladder = { bot: {}, strategies: {}, widenBy: 3 };
    const bot = new Quoting([{ ...btc, whenOld: "widen" }], { ladder });
    expect(placesOf(bot.begin()).map(({ price }) => price)).toEqual([1970, 2030]);
    expect(bot.seen).toEqual({ btc: undefined });
    bot.acknowledge();
    const narrow = placesOf(bot.step(value(100)));
    expect(narrow.map(({ price }) => price)).toEqual([1990, 2010]);
    bot.acknowledge();
    expect(placesOf(bot.after(5_001)).map(({ price }) => price)).toEqual([1970, 2030]);
  });

  it("widens also what the ladder lets reduce the position", () => {
    const triggers = triggersSchema("bot").parse({ position: { reduceOnly: "1500" } });
    const ladder = { bot: triggers, strategies: {}, widenBy: 3 };
    const bot = new Quoting([{ ...btc, whenOld: "widen" }], { ladder });
    bot.begin();
    bot.acknowledge();
    const [bid, ask] = placesOf(bot.step(value(100))).map(({ intent }) => intent);
    for (const intent of [bid ?? 0, ask ?? 0]) {
      bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
    }
    bot.step(bot.event(bid ?? 0, "FILLED", { quantity: "1", tradeId: "first" }));
    bot.step(bot.event(1, "CANCELED"), bot.event(2, "CANCELED"));
    bot.after(5_001);
    const reducing = placesOf(bot.step(bot.event(ask ?? 0, "CANCELED")));
    expect(reducing.map(({ side, price }) => [side, price])).toEqual([["SELL", 2030]]);
  });

  it.each([
    [Number.NaN, 1],
    [0, 1],
    [-1, 1],
    [2, 1],
    [1, Number.POSITIVE_INFINITY],
    [1, Number.NaN],
  ])("is not moved by an impossible price (bid %s, ask %s), and warns once", (bid, ask) => {
    const bot = new Quoting([btc]);
    bot.begin();
    bot.step(value(100));
    bot.acknowledge();
    bot.after(4_000, bot.tick(), value(bid, ask), value(bid, ask));
    expect(bot.warnings("SOURCE_IMPOSSIBLE")).toHaveLength(1);
    expect(cancelsOf(bot.after(1_001))).toHaveLength(2);
  });

  it("is seen by the strategies that name it alone", () => {
    const seen: unknown[] = [];
    const decide = (name: string) =>
      scripted(({ sources }) => {
        seen.push([name, Object.keys(sources)]);
        return setQuotes({});
      });
    const binding = { params: {}, marketId: market.marketId, seed: 1 };
    const bot = new Harness({
      decide: () => setQuotes({}),
      config: {
        sources: [btc, { ...btc, name: "krw" }],
        strategies: [
          { ...binding, name: "all", definition: decide("all") },
          { ...binding, name: "one", definition: decide("one"), sources: ["krw"] },
        ],
      },
    });
    bot.begin();
    seen.length = 0;
    const all = ["all", ["btc", "krw"]];
    bot.step(value(1, 1, "krw"));
    expect(seen).toEqual([all, ["one", ["krw"]]]);
    bot.step(value(1, 1, "btc"));
    expect(seen.slice(2)).toEqual([all]);
  });
});

describe("a static source", () => {
  it("never becomes old", () => {
    const bot = new Quoting([{ ...btc, origin: { type: "static", bid: 1300, ask: 1301 } }]);
    expect(placesOf(bot.begin())).toHaveLength(2);
    bot.acknowledge();
    bot.after(20_000, bot.tick());
    expect(bot.seen.btc).toEqual({ bid: 1300, ask: 1301, mid: 1300.5, ageMs: 0, lagMs: undefined });
  });
});

describe("a formula", () => {
  const formula = (text: string): SourceConfig[] => [
    { ...btc, name: "btcusdt" },
    { ...btc, name: "usdtkrw", maxAgeMs: 60_000 },
    {
      name: "krw",
      origin: { type: "formula", formula: text },
      maxAgeMs: Infinity,
      whenOld: "stop",
    },
  ];

  it.each([
    ["btcusdt * usdtkrw", 100 * 1300, 102 * 1310],
    ["btcusdt / usdtkrw", 100 / 1310, 102 / 1300],
    ["usdtkrw - btcusdt", 1300 - 102, 1310 - 100],
    ["2 * (btcusdt + 1)", 202, 206],
    ["1 / (1 / btcusdt)", 100, 102],
  ])("computes bid and ask of %s so that the result lies between them", (text, bid, ask) => {
    const bot = new Quoting(formula(text));
    bot.begin();
    bot.step({ type: "source", name: "btcusdt", bid: 100, ask: 102, timeMs: bot.nowMs - 5 });
    bot.after(1_000, value(1300, 1310, "usdtkrw"));
    expect(bot.seen.krw?.bid).toBeCloseTo(bid, 9);
    expect(bot.seen.krw?.ask).toBeCloseTo(ask, 9);
    expect(bot.seen.krw).toMatchObject({ ageMs: 1_000, lagMs: 5 });
  });

  it("is old when one of its parts is", () => {
    const [strategy] = [{ sources: ["krw"] }];
    const bot = new Quoting(formula("btcusdt * usdtkrw"), {
      strategies: [
        {
          name: "maker",
          definition: scripted(() => setQuotes({ bids: [{ price: 1990, size: "1" }] })),
          params: {},
          marketId: market.marketId,
          seed: 1,
          ...strategy,
        },
      ],
    });
    bot.begin();
    bot.step(value(100, 102, "btcusdt"), value(1300, 1310, "usdtkrw"));
    bot.acknowledge();
    expect(cancelsOf(bot.after(5_001))).toHaveLength(1);
    expect(bot.reasons.at(-1)).toBe("source btcusdt is older than 5s");
  });

  it("is no price when it is not above 0, or divides by a range with 0 in it", () => {
    for (const text of ["btcusdt - usdtkrw", "1 / (btcusdt - 101)"]) {
      const bot = new Quoting(formula(text));
      bot.begin();
      bot.step(value(100, 102, "btcusdt"), value(1300, 1310, "usdtkrw"));
      expect(bot.reasons.at(-1)).toBe("source krw is no price: its formula gives none above 0");
    }
  });
});

describe("another market of the venue as a source", () => {
  const other = { ...testMarket(), marketId: "7_2" as MarketId };
  const kimchi: SourceConfig = {
    name: "other",
    origin: { type: "market", marketId: other.marketId },
    maxAgeMs: 5_000,
    whenOld: "stop",
  };
  const book = (bot: Harness, bid: number, ask: number): Input => {
    const input = bot.snapshot(bid, ask);
    if (input.type !== "book") throw new Error("a book");
    return { ...input, snapshot: { ...input.snapshot, marketId: other.marketId } };
  };

  it("is the touch of its book, which the bot keeps like any other", () => {
    const bot = new Quoting([kimchi], { markets: [market, other] });
    expect(placesOf(bot.begin())).toEqual([]);
    expect(placesOf(bot.step(book(bot, 50, 51)))).toHaveLength(2);
    expect(bot.seen.other).toEqual({ bid: 50, ask: 51, mid: 50.5, ageMs: 0, lagMs: undefined });
  });

  it("becomes old once its book cannot be read", () => {
    const bot = new Quoting([kimchi], { markets: [market, other] });
    bot.begin();
    bot.step(book(bot, 50, 51));
    bot.acknowledge();
    bot.step({ type: "resubscribed", channel: { kind: "depth", marketId: other.marketId } });
    expect(cancelsOf(bot.after(5_001))).toHaveLength(2);
    expect(bot.reasons.at(-1)).toBe("source other is older than 5s");
  });
});

describe("the jump guard", () => {
  const guarded: SourceConfig = { ...btc, jump: { share: 0.01 } };
  const byKrw: SourceConfig[] = [
    { ...btc, jump: { share: 0.01, confirm: "krw" } },
    { ...btc, name: "krw" },
  ];
  const begun = (sources: readonly SourceConfig[]): Quoting => {
    const bot = new Quoting(sources);
    bot.begin();
    bot.step(value(1000, 1000, "krw"), value(100), value(1000, 1000, "krw"));
    return bot.acknowledge();
  };

  it("believes what moves less than the share times the root of the seconds", () => {
    const bot = begun([guarded]);
    bot.after(1_000, value(100.9));
    bot.after(4_000, value(102.9));
    expect(bot.seen.btc?.mid).toBe(102.9);
    expect(bot.warnings("SOURCE_JUMP")).toEqual([]);
  });

  it("doubts a jump, keeps the old value till it is too old, and warns once an episode", () => {
    const bot = begun([guarded]);
    bot.after(1_000, value(50));
    bot.after(1_000, value(20));
    bot.after(1_000, value(50));
    bot.after(0, bot.tick());
    expect(bot.seen.btc).toMatchObject({ mid: 100, ageMs: 3_000 });
    expect(bot.warnings("SOURCE_JUMP")).toHaveLength(1);
    expect(cancelsOf(bot.after(2_001))).toHaveLength(2);
    expect(bot.reasons.at(-1)).toBe("source btc is older than 5s: its newest price 50 is doubted");
  });

  it("counts a fast walk of small moves as one move, and believes it no sooner than a jump", () => {
    const bot = begun([guarded]);
    let price = 100;
    for (let at = 0; at < 300; at += 1) {
      price *= 1.009;
      bot.after(20, ...(at % 50 === 0 ? [bot.tick()] : []), value(price));
    }
    expect(bot.seen.btc?.mid ?? 100.9).toBeLessThanOrEqual(101);
    expect(bot.warnings("SOURCE_JUMP")).toHaveLength(1);
  });

  it("follows a price that moves within the share in each second, and one after a confirmed jump", () => {
    const bot = begun(byKrw);
    for (let at = 1; at <= 200; at += 1) bot.after(50, value(100 + at / 25));
    expect(bot.seen.btc?.mid).toBe(108);
    bot.after(20, bot.tick(), value(900, 900, "krw"), value(97), value(97.1), value(97.2));
    expect(bot.seen.btc?.mid).toBe(97.2);
  });

  it("ends the doubt when the price comes back", () => {
    const bot = begun([guarded]);
    bot.after(1_000, value(50));
    bot.after(1_000, value(100.5));
    expect(bot.seen.btc).toMatchObject({ mid: 100.5, ageMs: 0 });
    bot.after(1_000, value(50));
    expect(bot.warnings("SOURCE_JUMP")).toHaveLength(2);
  });

  it("believes a jump that another source made, in whatever unit, before or after", () => {
    const first = begun(byKrw);
    first.after(1_000, value(950, 950, "krw"));
    first.after(0, value(91));
    expect(first.seen.btc?.mid).toBe(91);
    const second = begun(byKrw);
    second.after(1_000, value(91));
    expect(second.seen.btc?.mid).toBe(100);
    second.after(500, value(950, 950, "krw"));
    expect(second.seen.btc).toMatchObject({ mid: 91, ageMs: 500 });
  });

  it("does not believe a jump when the other source moved less than half as far, or the other way", () => {
    for (const krw of [960, 1100]) {
      const bot = begun(byKrw);
      bot.after(1_000, value(krw, krw, "krw"), value(91));
      expect(bot.seen.btc?.mid).toBe(100);
    }
  });

  it("believes two sources that confirm each other", () => {
    const bot = begun(
      byKrw.map((source) => ({
        ...source,
        jump: { share: 0.01, confirm: source.name === "btc" ? "krw" : "btc" },
      })),
    );
    bot.after(1_000, value(80), value(800, 800, "krw"));
    expect(bot.seen).toMatchObject({ btc: { mid: 80 }, krw: { mid: 800 } });
  });

  it("believes a jump that a formula of other sources made", () => {
    const formula = { type: "formula", formula: "2 * krw" } as const;
    const bot = begun([
      { ...btc, jump: { share: 0.01, confirm: "double" } },
      { ...btc, name: "krw" },
      { name: "double", origin: formula, maxAgeMs: Infinity, whenOld: "stop" },
    ]);
    bot.after(1_000, value(950, 950, "krw"), value(91));
    expect(bot.seen.btc?.mid).toBe(91);
  });

  it("asks the own book when the configuration names no other source", () => {
    const bot = begun([guarded]);
    bot.after(1_000, bot.depth(101, [1999, 0, 1909, 5], [1911, 5]), value(94));
    expect(bot.seen.btc?.mid).toBe(94);
  });

  it("believes a jump that stands for some seconds with several values", () => {
    const bot = begun([guarded]);
    for (let second = 0; second < 5; second += 1) bot.after(1_000, value(80 + second / 100));
    expect(bot.seen.btc?.mid).toBe(100);
    bot.after(1_000, value(80));
    expect(bot.seen.btc?.mid).toBe(80);
  });
});
