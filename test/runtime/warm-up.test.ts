import { describe, expect, it } from "vitest";
import { z } from "zod";
import { unixMs } from "../../src/domain/time.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { verifyToolsOf } from "../../src/runtime/verify-tools.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { startPaper } from "../../src/runtime/paper.ts";
import { type StrategyDefinition, setQuotes } from "../../src/strategy/contract.ts";
import type { CandlesView } from "../../src/strategy/warm-up.ts";
import { candle, market, play, setupOf, trade, book } from "../backtest/hand-made.ts";
import { scripted } from "../kernel/harness.ts";
import { NOW } from "../support/exchange.ts";
import { liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

/** Warm-ups in every mode: a bot at the paper venue, on paper, and in a replay. */

interface Seen {
  readonly nowMs: number;
  readonly candles: CandlesView;
  readonly trades: number;
}

function watching(seen: Seen[]): StrategyDefinition {
  return {
    ...scripted((view) => {
      const { nowMs } = view;
      seen.push({ nowMs, candles: view.candles("1"), trades: view.trades.length });
      return setQuotes({ bids: [{ price: 1000, size: "0.5" }] });
    }),
    params: z.unknown(),
    warmUp: { candles: { resolution: "1", count: 5 }, trades: 20 },
  };
}

/** The venue's candles that start before `untilMs`, as the exchange has them. */
function venueCandles({ venue }: World, fromMs: number, untilMs: number): unknown[] {
  return venue.exchange
    .candles(market.marketId, "1", fromMs / 1000, untilMs / 1000 - 1)
    .map(({ openSec, open, high, low, close }) => ({
      timeMs: openSec * 1000,
      open,
      high,
      low,
      close,
    }));
}

const prices = ({ timeMs, open, high, low, close }: CandlesView["closed"][number]) => ({
  timeMs,
  open,
  high,
  low,
  close,
});

describe("a warm-up", () => {
  it("is the venue's history for a live bot, which goes on over a reconnect, and the run re-runs", async () => {
    const at = await liveWorld(3);
    await at.clock.runFor(600_000);
    const seen: Seen[] = [];
    const strategies = strategiesOf([{ name: "maker", definition: watching(seen) }]);
    const bot = await at.settle(at.start({ strategies }));
    await at.clock.runFor(10_000);
    expect(seen[0]?.candles.closed).toHaveLength(5);
    expect(seen[0]?.trades).toBeGreaterThanOrEqual(20);
    at.network.cutSockets();
    await at.clock.runFor(200_000);
    const last = seen.at(-1);
    const { closed = [], open } = last?.candles ?? {};
    const [first] = closed;
    expect(closed.map(prices)).toEqual(venueCandles(at, first?.timeMs ?? 0, open?.timeMs ?? 0));
    await stopped(at, bot);
    const [run] = listRuns(at.store, "journal");
    if (run === undefined) throw new Error("no run in the journal");
    const tools = verifyToolsOf(run.header, at.crypto, strategies);
    const verified = verifyRun(run.header, entriesOfRun(at.store, run), tools);
    expect(verified).toMatchObject({ identical: true });
  });

  it("comes from the real venue for a bot on paper", async () => {
    const at = await liveWorld(5);
    await at.clock.runFor(600_000);
    const seen: Seen[] = [];
    const bot = await at.settle(
      startPaper(
        {
          ...at.settings,
          strategies: strategiesOf([{ name: "maker", definition: watching(seen) }]),
          owner: undefined,
          models: {
            fills: defaultFills,
            latency: constantDelays({ entry: 20, response: 20, feed: 20 }),
            fees: marketFees,
          },
        },
        at.ports,
      ),
    );
    await at.clock.runFor(10_000);
    const { closed = [], open } = seen[0]?.candles ?? {};
    expect(closed.map(prices)).toEqual(venueCandles(at, closed[0]?.timeMs ?? 0, open?.timeMs ?? 0));
    expect(closed).toHaveLength(5);
    bot.stop();
    await at.settle(bot.done);
  });

  it("is the recording before the window in a replay, which says what is missing", () => {
    const seen: Seen[] = [];
    const setup = setupOf(() => setQuotes({}));
    const [binding] = setup.kernel.strategies;
    if (binding === undefined) throw new Error("one strategy");
    const strategies = [{ ...binding, definition: watching(seen) }];
    const warm = { ...setup, kernel: { ...setup.kernel, strategies } };
    const steps = [
      book(1, [1999, 5], [2001, 5]),
      ...[10, 70_000, 130_000, 200_000, 200_500, 261_000].map((ms, at) =>
        trade(ms, 1999 + at, 1, false),
      ),
      book(262_000, [1999, 5], [2001, 5]),
    ].toSorted((a, b) => a.atMs - b.atMs);
    const { end } = play(warm, steps, { fromMs: NOW + 200_400 });
    expect(end.finished?.ok).toBe(true);
    expect(seen[0]?.candles.closed.map(({ close }) => close)).toEqual([1999, 2000, 2001]);
    expect(seen[0]?.candles.open?.close).toBe(2003);
    expect(seen.at(-1)?.candles.closed.at(-1)?.close).toBe(2003);
    const notes: string[] = [];
    play(
      warm,
      steps,
      { fromMs: NOW + 200_400 },
      {
        stepped: (step) => {
          for (const note of step.notes) if (note.type === "warning") notes.push(note.message);
        },
      },
    );
    expect(notes).toContainEqual(
      expect.stringContaining("only 3 of the 5 candles of resolution 1"),
    );
  });

  it("is the candles before the window in a replay of candles", () => {
    const seen: Seen[] = [];
    const setup = setupOf(() => setQuotes({}), undefined, {
      candles: { volumeShare: 0.1, halfSpread: 0.0002 },
    });
    const [binding] = setup.kernel.strategies;
    if (binding === undefined) throw new Error("one strategy");
    const strategies = [{ ...binding, definition: watching(seen) }];
    const warm = { ...setup, kernel: { ...setup.kernel, strategies } };
    const steps = [0, 1, 2, 3, 4].flatMap((at) =>
      candle(at * 60_000, [2000, 2010, 1990, 2000 + at], 10),
    );
    play(warm, steps, { fromMs: unixMs(NOW + 120_000) });
    expect(seen[0]?.candles.closed.map(({ close }) => close)).toEqual([2000, 2001]);
    expect(seen.at(-1)?.candles.closed.map(({ close }) => close)).toEqual([2000, 2001, 2002, 2003]);
  });
});
