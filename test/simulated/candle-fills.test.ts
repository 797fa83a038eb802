import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { ReplayRecorder } from "../../src/backtest/replay-recorder.ts";
import { addFixed, fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import { flat } from "../../src/simulated/block-inputs.ts";
import { ETH_USDT, NOW } from "../support/exchange.ts";
import { isSoak } from "../support/soak.ts";
import { unixMs } from "../../src/domain/time.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { type Decision, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { candle, keccak256, play, quoteOnce, setupOf } from "../backtest/hand-made.ts";

/** A tenth of the volume, and a half spread of 0.02 %: 0.02 at 100, where the tick is 0.01. */
const candles = { volumeShare: 0.1, halfSpread: 0.0002 };
const MINUTE = 60_000;
const delays = (entry: number) => constantDelays({ entry, response: 1, feed: 0 });

/** Candles of a minute each, one after the other. */
function minutes(...each: readonly Parameters<typeof candle>[]): RecordedStep[] {
  return each.flatMap(([, prices, volume], at) => candle(at * MINUTE, prices, volume));
}
const bar = (prices: Parameters<typeof candle>[1], volume: number) =>
  [0, prices, volume] as const satisfies Parameters<typeof candle>;
/** The market begins at 100: its first candle only shows a book. */
const first = bar([100, 100.2, 99.9, 100], 20);

function fillsOf(
  decide: (view: MarketView) => Decision,
  steps: readonly RecordedStep[],
  entryMs = 0,
): readonly string[] {
  return play(setupOf(decide, delays(entryMs), { candles }), steps).fills;
}

describe("candles", () => {
  test("a bid fills at its price, and only when a later candle's low is below it", () => {
    // The quote arrives at 60000. Low = price in the second candle: no fill. A tenth of 6 in the third, the rest in the fourth.
    const steps = minutes(
      first,
      bar([100, 100.3, 99.5, 100.1], 20),
      bar([100.1, 100.2, 99.4, 99.8], 6),
      bar([99.8, 99.9, 99.2, 99.6], 20),
    );
    expect(fillsOf(quoteOnce([[99.5, "1"]], []), steps)).toEqual([
      "180000 BUY 0.6@99.5 0.0006 base",
      "240000 BUY 0.4@99.5 0.0004 base",
    ]);
  });

  test("an ask fills at its price, and only when a later candle's high is above it", () => {
    const steps = minutes(
      first,
      bar([100, 100.5, 99.5, 100.1], 20),
      bar([100.1, 100.51, 99.9, 100], 20),
    );
    // 1 at 100.5, fee 0.1 %.
    expect(fillsOf(quoteOnce([], [[100.5, "1"]]), steps)).toEqual([
      "180000 SELL 1@100.5 0.1005 quote",
    ]);
  });

  test("no order fills in the candle in which it was placed", () => {
    // 10 ms to the venue: the quote arrives within the second candle, whose low may be older.
    const steps = minutes(
      first,
      bar([100, 100.3, 99, 100.1], 20),
      bar([100.1, 100.2, 99.4, 99.8], 20),
    );
    expect(fillsOf(quoteOnce([[99.5, "1"]], []), steps, 10)).toEqual([
      "180000 BUY 1@99.5 0.001 base",
    ]);
    expect(fillsOf(quoteOnce([[99.5, "1"]], []), steps, 0)).toEqual([
      "120000 BUY 1@99.5 0.001 base",
    ]);
  });

  test("of two sides in one candle the one that the close proves wrong fills first, and the other gets what is left", () => {
    // A tenth of 12 is 1.2. At a close of 99.2 the purchase has lost, at 100.8 the sale.
    const both = quoteOnce([[99.5, "1"]], [[100.5, "1"]]);
    const fell = minutes(first, bar([100, 101, 99, 99.2], 12));
    expect(fillsOf(both, fell)).toEqual([
      "120000 BUY 1@99.5 0.001 base",
      "120000 SELL 0.2@100.5 0.0201 quote",
    ]);
    const again = quoteOnce([[99.5, "1"]], [[100.5, "1"]]);
    const rose = minutes(first, bar([100, 101, 99, 100.8], 12));
    expect(fillsOf(again, rose)).toEqual([
      "120000 SELL 1@100.5 0.1005 quote",
      "120000 BUY 0.2@99.5 0.0002 base",
    ]);
  });

  test("own bids share one tenth of a candle, best price first", () => {
    const steps = minutes(first, bar([100, 100.1, 98, 99], 15));
    expect(
      fillsOf(
        quoteOnce(
          [
            [99.5, "1"],
            [99.4, "1"],
          ],
          [],
        ),
        steps,
      ),
    ).toEqual(["120000 BUY 1@99.5 0.001 base", "120000 BUY 0.5@99.4 0.0005 base"]);
  });

  test("what is left of an order stays in the book, which keeps the candle's mid", () => {
    // The close of 99 lies below the rest of 0.5 at 99.5.
    const mids: (number | undefined)[] = [];
    const quote = quoteOnce([[99.5, "1"]], []);
    const steps = minutes(
      first,
      bar([100, 100.1, 98.5, 99], 5),
      bar([99, 99.1, 98.9, 99], 5),
      bar([99, 99.1, 98.9, 99], 5),
    );
    const fills = fillsOf((view) => {
      mids.push(view.book.mid);
      return quote(view);
    }, steps);
    // The open of the third candle is below the bid as well, and its volume counts.
    expect(fills).toEqual(["120000 BUY 0.5@99.5 0.0005 base", "120000 BUY 0.5@99.5 0.0005 base"]);
    expect(new Set(mids)).toEqual(new Set([undefined, 100, 99]));
  });

  test("an open fills the orders that it has passed at their own prices, before the bot can move them", () => {
    const steps = minutes(first, bar([100, 100.1, 99.9, 100], 30), bar([105, 105, 104, 105], 30));
    const asks = quoteOnce(
      [],
      [
        [100.2, "1"],
        [104.99, "1"],
        [105, "1"],
      ],
    );
    // The third order is at the open, not passed, and nothing trades above it.
    expect(fillsOf(asks, steps)).toEqual([
      "120000 SELL 1@100.2 0.1002 quote",
      "120000 SELL 1@104.99 0.10499 quote",
    ]);
    const fell = minutes(first, bar([100, 100.1, 99.9, 100], 30), bar([95, 96, 95, 95], 30));
    expect(fillsOf(quoteOnce([[99.5, "1"]], []), fell)).toEqual(["120000 BUY 1@99.5 0.001 base"]);
    // At most a tenth of the candle's volume in all: 1 at the open, and nothing later in it.
    const thin = minutes(first, bar([100, 100.1, 99.9, 100], 30), bar([95, 96, 90, 95], 10));
    expect(fillsOf(quoteOnce([[99.5, "2"]], []), thin)).toEqual(["120000 BUY 1@99.5 0.001 base"]);
  });

  test("an open triggers the stop orders that it has reached, which trade there", () => {
    const stop = { name: "a", side: "SELL" as const, size: "1", stopPrice: 99.5 };
    const steps = minutes(first, bar([100, 100.1, 99.9, 100], 50), bar([95, 96, 90, 94], 50));
    let isDone = false;
    const once = (): Decision => {
      if (isDone) return keepQuotes();
      isDone = true;
      return setQuotes({ stops: [stop] });
    };
    // 0.02 % of 95 is 0.019: 94.981, fee 0.2 %.
    expect(fillsOf(once, steps)).toEqual(["120000 SELL 1@94.981 0.189962 quote"]);
  });

  test("a stop order trades at the candle's worst price less the half spread, whatever its close", () => {
    // The stop at 99.5 triggers at a low of 98. Half the spread there is 0.0196, 20 ticks of 0.001: 97.98.
    const stop = { name: "a", side: "SELL" as const, size: "1", stopPrice: 99.5 };
    const steps = minutes(first, bar([100, 100.5, 98, 100.2], 50), bar([100, 101, 98, 100], 50));
    // Fee 0.2 %.
    let isDone = false;
    const once = (): Decision => {
      if (isDone) return keepQuotes();
      isDone = true;
      return setQuotes({ stops: [stop] });
    };
    expect(fillsOf(once, steps)).toEqual(["120000 SELL 1@97.98 0.19596 quote"]);
  });

  test("stop orders and resting orders share one tenth of a candle, the stop at its low first", () => {
    // A tenth of 12 is 1.2. The first stop leaves 0.2.
    const stop = (name: string, side: "BUY" | "SELL", stopPrice: number) =>
      ({ name, side, size: "1", stopPrice }) as const;
    const steps = minutes(
      first,
      bar([100, 101.5, 98, 100.2], 12),
      bar([100.2, 100.3, 100.1, 100.2], 12),
    );
    const once = (decision: Decision) => {
      let isDone = false;
      return (): Decision => {
        if (isDone) return keepQuotes();
        isDone = true;
        return decision;
      };
    };
    const withAsk = setQuotes({
      asks: [{ price: 101, size: "1" }],
      stops: [stop("a", "SELL", 99.5)],
    });
    expect(fillsOf(once(withAsk), steps)).toEqual([
      "120000 SELL 1@97.98 0.19596 quote",
      "120000 SELL 0.2@101 0.0202 quote",
    ]);
    const twoStops = setQuotes({ stops: [stop("a", "SELL", 99.5), stop("b", "BUY", 100.5)] });
    expect(fillsOf(once(twoStops), steps)).toEqual([
      "120000 SELL 1@97.98 0.19596 quote",
      "120000 BUY 0.2@101.53 0.0004 base",
    ]);
  });

  test("an order that takes meets the open of the candle in which it arrives, a half spread away, with a tenth of the last volume", () => {
    const [open] = candle(MINUTE, [100.3, 100.4, 99, 100], 20);
    if (open === undefined) throw new Error("the open");
    const { end } = play(
      setupOf(() => keepQuotes(), delays(0), { candles }),
      [...minutes(first), open],
    );
    const { bids, asks } = end.exchange.book(ETH_USDT, 10);
    // 0.02 % of 100.3 is 0.02006, three ticks of 0.01; a tenth of 20 is 2.
    expect(flat(bids)).toEqual(Float64Array.of(100.27, 2));
    expect(flat(asks)).toEqual(Float64Array.of(100.33, 2));
  });
});

const nextMinute = (nowMs: number) =>
  unixMs(NOW + (Math.floor((nowMs - NOW) / MINUTE) + 1) * MINUTE);

/** Candles of a random walk near 100. */
function randomMinutes(prng: Prng): RecordedStep[] {
  let ticks = 10_000;
  return Array.from({ length: 300 }, (_, at) => {
    const open = ticks + prng.int(-3, 3);
    const close = open + prng.int(-40, 40);
    const high = Math.max(open, close) + prng.int(0, 20);
    const low = Math.min(open, close) - prng.int(0, 20);
    ticks = close;
    const [o, h, l, c] = [open, high, low, close].map((each) => each / 100);
    // A minute without trades is absent.
    if (prng.chance(0.05)) return [];
    return candle(at * MINUTE, [o ?? 0, h ?? 0, l ?? 0, c ?? 0], prng.int(0, 4_000) / 100);
  }).flat();
}

test.each(isSoak ? [1, 2, 3, 4, 5] : [1, 2])(
  "seed %i: tokens are conserved, the PnL is exact, each fill is within its candle and the shares of volume",
  (seed) => {
    const steps = randomMinutes(new Prng(seed));
    const prng = new Prng(seed + 100);
    const decide = ({ book: { mid = 100 }, nowMs }: MarketView): Decision =>
      setQuotes({
        bids: [{ price: mid - prng.int(1, 30) / 100, size: "1.5" }],
        asks: [{ price: mid + prng.int(1, 30) / 100, size: "1.5" }],
        stops: prng.chance(0.1)
          ? [{ name: "a", side: "SELL", size: "1", stopPrice: mid - 0.2 }]
          : [],
        wakeAtMs: nextMinute(nowMs),
        wakeOn: "time",
      });
    const setup = setupOf(decide, delays(0), { candles });
    const recorder = new ReplayRecorder(setup, keccak256);
    const traded = new Map<number, number>();
    const outside: string[] = [];
    let played = 0;
    const byEnd = new Map(
      steps.flatMap(({ event }) => (event.type === "candle" ? [[event.atMs, event.candle]] : [])),
    );
    const { end, fills } = play(
      setup,
      steps,
      {},
      {
        begins: recorder.begins.bind(recorder),
        recorded(step, isWarmUp) {
          recorder.recorded(step, isWarmUp);
          played += 1;
        },
        decided: recorder.decided.bind(recorder),
        stepped: recorder.stepped.bind(recorder),
        block(block, orders, mid) {
          recorder.block(block, orders, mid);
          for (const { fill } of block.orderEvents) {
            if (fill === undefined) continue;
            // While a candle's open is played, which ends a minute later, or at the end of one.
            const playing = steps[played]?.event;
            const isOpen = playing?.type === "open" && playing.atMs === fill.timeMs;
            const endMs = isOpen ? unixMs(fill.timeMs + MINUTE) : fill.timeMs;
            const of = byEnd.get(endMs);
            const sum = (traded.get(endMs) ?? 0) + Number(fixedText(fill.quantity));
            traded.set(endMs, sum);
            if (!fill.isMaker) continue;
            const price = Number(fixedText(fill.price));
            const { low = 0, high = 0 } = isOpen ? { low: of?.open, high: of?.open } : (of ?? {});
            const isBeyond = of !== undefined && (fill.side === "BUY" ? price > low : price < high);
            if (!isBeyond) outside.push(`${fill.timeMs} ${price}`);
          }
        },
      },
    );
    const result = recorder.result(end, 1_000);
    expect(fills.length).toBeGreaterThan(30);
    expect(outside).toEqual([]);
    for (const [endMs, quantity] of traded) {
      expect(quantity).toBeLessThanOrEqual((byEnd.get(unixMs(endMs))?.volume ?? 0) * 0.1 + 1e-9);
    }
    for (const { held, deposited } of end.exchange.ledger.audit().values()) {
      expect(held).toBe(deposited);
    }
    const { pnl } = result;
    if (pnl === null) throw new Error("a PnL");
    const parts = [pnl.spread, pnl.inventory, pnl.fees].map(fixed);
    expect(fixedText(parts.reduce(addFixed, ZERO))).toBe(pnl.total);
    expect(result.bookResyncs).toBe(0);
  },
);
