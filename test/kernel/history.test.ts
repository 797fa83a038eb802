import { describe, expect, it } from "vitest";
import type { MarketCandle } from "../../src/domain/candle.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import type { CandlesView, WarmUp } from "../../src/strategy/warm-up.ts";
import type { PublicTrade } from "../../src/strategy/view.ts";
import { Harness, market, placesOf, scripted, start, unwatched } from "./harness.ts";

const { marketId } = market;
const MINUTE = 60_000;

function candle(minute: number, close: number, volume = 1): MarketCandle {
  const timeMs = unixMs(start + minute * MINUTE);
  return { timeMs, open: close, high: close + 1, low: close - 1, close, volume };
}

const flat = (minute: number, close: number): MarketCandle => ({
  ...candle(minute, close, 0),
  high: close,
  low: close,
});

class WarmBot extends Harness {
  readonly views: CandlesView[] = [];
  trades: readonly PublicTrade[] = [];

  constructor(warmUp: WarmUp = { candles: { resolution: "1", count: 3 } }) {
    const definition = scripted((view) => {
      if (warmUp.candles !== undefined) this.views.push(view.candles("1"));
      if (view.trades.length > 0) this.trades = view.trades;
      return setQuotes({ bids: [{ price: 1990, size: "1" }] });
    });
    const strategies = [
      { name: "maker", definition: { ...definition, warmUp }, params: {}, marketId, seed: 1 },
    ];
    super({
      decide: () => setQuotes({}),
      config: { timing: unwatched, strategies },
    });
  }

  candles(fromMinute: number, ...candles: MarketCandle[]): Input {
    const fromMs = start + fromMinute * MINUTE;
    return { type: "candles", marketId, resolution: "1", fromMs, candles };
  }

  trade(price: number, quantity: number, timeMs = this.nowMs, tradeId = "9"): Input {
    return {
      type: "trade",
      trade: { marketId, tradeId, price, quantity, timeMs: unixMs(timeMs), isBuyerMaker: false },
    };
  }

  get view(): CandlesView | undefined {
    return this.views.at(-1);
  }

  /** The reads of the newest call of `after`. */
  reads: readonly unknown[] = [];

  override after(delayMs: number, ...inputs: Input[]): readonly Effect[] {
    const effects = super.after(delayMs, ...inputs);
    this.reads = effects.filter(({ type }) => type === "candles" || type === "trades");
    return effects;
  }

  get reasons(): (string | undefined)[] {
    return this.notes.flatMap((note) => (note.type === "quoteReason" ? [note.reason] : []));
  }

  get warnings(): string[] {
    return this.notes.flatMap((note) => (note.type === "warning" ? [note.code] : []));
  }
}

describe("a strategy with a warm-up", () => {
  it("is not called before its history is there, and says so", () => {
    const bot = new WarmBot();
    bot.begin();
    expect(bot.views).toEqual([]);
    expect(bot.reasons).toContain("waiting for the history");
    const effects = bot.step(bot.candles(-3, candle(-3, 10), candle(-1, 12), candle(0, 13)));
    expect(placesOf(effects)).toHaveLength(1);
    expect(bot.view).toEqual({
      closed: [candle(-3, 10), flat(-2, 10), candle(-1, 12)],
      open: candle(0, 13),
    });
    expect(bot.warnings).not.toContain("HISTORY_SHORT");
  });

  it("asks for as many candles as it needs, once the venue's clock is known", () => {
    const bot = new WarmBot();
    bot.step();
    bot.after(0, { type: "stream", state: "opened", reason: "" });
    expect(bot.reads).toEqual([]);
    bot.after(0, { type: "venueTime", offsetMs: MINUTE, roundTripMs: 1 });
    const fromMs = start - 2 * MINUTE;
    expect(bot.reads).toEqual([{ type: "candles", marketId, resolution: "1", fromMs }]);
  });

  it("starts without after 30 s, with a warning, and takes the history when it comes", () => {
    const bot = new WarmBot();
    bot.begin();
    const read = { read: "candles", key: `${marketId} 1`, message: "no" } as const;
    bot.step({ type: "readFailed", ...read, reason: "unavailable", retryAfterMs: undefined });
    expect(bot.after(300).map(({ type }) => type)).toContain("candles");
    bot.after(29_000, bot.depth(101, [1999, 5], [2001, 5]));
    expect(bot.views).toEqual([]);
    bot.after(700);
    expect(bot.view).toEqual({ closed: [], open: undefined });
    expect(bot.warnings).toContain("HISTORY_MISSING");
    bot.step(bot.candles(-3, candle(-1, 12)));
    expect(bot.view?.closed).toEqual([candle(-1, 12)]);
    expect(bot.warnings).toContain("HISTORY_SHORT");
  });

  it("goes on with public trades, and with the venue's candle soon after its end", () => {
    const bot = new WarmBot();
    bot.nowMs += 30_000;
    bot.begin();
    bot.step(bot.candles(-3, candle(-1, 12), candle(0, 13, 2)));
    bot.after(1_000, bot.trade(15, 3));
    expect(bot.view?.open).toEqual({ ...candle(0, 13), high: 15, close: 15, volume: 5 });
    bot.after(30_000, bot.trade(16, 1, start + 61_000));
    expect(bot.reads).toEqual([]);
    expect(bot.view?.closed.at(-1)).toMatchObject({ close: 15, volume: 5 });
    expect(bot.view?.open).toMatchObject({ open: 16, close: 16, volume: 1 });
    bot.after(1_000);
    expect(bot.reads).toEqual([{ type: "candles", marketId, resolution: "1", fromMs: start }]);
    bot.step(bot.candles(0, { ...candle(0, 15, 6), high: 17 }, candle(1, 16)));
    expect(bot.view?.closed.at(-1)).toEqual({ ...candle(0, 15, 6), high: 17 });
    expect(bot.view?.open).toMatchObject({ close: 16, volume: 1 });
  });

  it("reads its candles again when the stream opens, since trades may be missing", () => {
    const bot = new WarmBot();
    bot.nowMs += 30_000;
    bot.begin();
    bot.step(bot.candles(-3, candle(0, 13)));
    bot.after(1_000, { type: "stream", state: "closed", reason: "cut" });
    bot.after(10_000, { type: "stream", state: "opened", reason: "" });
    expect(bot.reads).toEqual([{ type: "candles", marketId, resolution: "1", fromMs: start }]);
  });

  it("sees the newest trades from before its start first, each once", () => {
    const bot = new WarmBot({ trades: 2 });
    bot.begin();
    bot.step(bot.trade(10, 1, start, "3"));
    const past = [1, 2, 3].map((id) => bot.trade(10, 1, start - 3 + id, String(id)));
    const trades = past.flatMap((input) => (input.type === "trade" ? [input.trade] : []));
    bot.step({ type: "trades", marketId, trades });
    expect(bot.trades.map(({ tradeId }) => tradeId)).toEqual(["2", "3"]);
  });

  it("fails with a sentence for a resolution that it did not ask for, and for an invalid warm-up", () => {
    const definition = scripted((view) => {
      view.candles("5");
      return setQuotes({});
    });
    const fault = (warmUp?: WarmUp): string | undefined => {
      const strategy = { ...definition, ...(warmUp && { warmUp }) };
      const strategies = [{ name: "maker", definition: strategy, params: {}, marketId, seed: 1 }];
      const bot = new Harness({ decide: () => setQuotes({}), config: { strategies } });
      bot.begin();
      return bot.notes.flatMap((note) =>
        note.type === "quoteReason" && note.reason?.includes("failed") ? [note.reason] : [],
      )[0];
    };
    expect(fault()).toContain('view.candles("5") needs warmUp');
    expect(fault({ trades: 1.5 })).toContain("1.5 is not a number of trades");
    expect(fault({ candles: { resolution: "2" as "1", count: 1 } })).toContain(
      '"2" is no resolution',
    );
  });
});
