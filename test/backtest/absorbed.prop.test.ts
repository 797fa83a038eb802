import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import { defaultRisk, triggersSchema } from "../../src/risk/settings.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { type Decision, keepQuotes, setQuotes, type WakeOn } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { setupOf } from "./hand-made.ts";
import { recordingOf } from "./random-recording.ts";
import { steppedReplay, withoutQueues } from "./stepped-ways.ts";
import { isSoak } from "../support/soak.ts";

const RECORDINGS = isSoak ? 24 : 12;
const never = Number.POSITIVE_INFINITY;
/** That of a simulated venue: only there is market data absorbed. */
const timing = { ...defaultTiming, auditMs: never, channelCheckMs: never, driftMs: never };
const wakes: readonly WakeOn[] = ["data", "orders", "time"];

/** Random quotes near the mid, which depend on everything that the view has of the market: the mid, and the trades since the last decision. */
function restless(seed: number): (view: MarketView) => Decision {
  const prng = new Prng(seed);
  return (view) => {
    const wakeOn = prng.pick(wakes);
    const wakeAtMs = view.nowMs + prng.int(1, 200);
    const { mid = 1_000 } = view.book;
    if (prng.chance(0.3)) return keepQuotes({ wakeAtMs, wakeOn });
    const traded = view.trades.reduce((sum, { quantity }) => sum + quantity, 0);
    const quote = (side: 1 | -1) => ({
      price: mid + side * (prng.unit() * 0.6 + (traded % 0.1)),
      size: prng.pick(["0.5", "1", "1.5"]),
    });
    const stop = { name: "a", side: "SELL" as const, size: "1", stopPrice: mid - 1 };
    return setQuotes({
      bids: Array.from({ length: prng.int(0, 2) }, () => quote(-1)),
      asks: Array.from({ length: prng.int(0, 2) }, () => quote(1)),
      stops: seed % 5 === 0 && prng.chance(0.3) ? [stop] : [],
      tolerance: prng.pick([0, 0.0001]),
      drop: view.orders.filter(() => prng.chance(0.1)).map(({ id }) => id),
      wakeAtMs,
      wakeOn,
    });
  };
}

function setupFor(seed: number): ReplaySetup {
  const ms = seed % 3;
  const setup = setupOf(
    restless(seed),
    constantDelays({ entry: 5 * ms, response: 5 * ms, feed: ms }),
  );
  const { kernel } = setup;
  const risk = { ...defaultRisk, maxPosition: seed % 4 === 0 ? defaultRisk.maxPosition : null };
  const ladder =
    seed % 6 === 0
      ? {
          bot: triggersSchema("bot").parse({
            drawdown: { pause: "1" },
            position: { reduceOnly: "2000" },
          }),
          strategies: {},
          widenBy: 2,
        }
      : undefined;
  const rate = seed % 2 === 0 ? kernel.rate : { perSecond: 20, burst: 10, concurrency: 2 };
  return { ...setup, kernel: { ...kernel, timing, risk, rate, ladder } };
}

test("a replay that steps the kernel only when something is due, with one recorded book, has the result of one that steps it for all market data", () => {
  let fills = 0;
  let saved = 0;
  let all = 0;
  for (let seed = 1; seed <= RECORDINGS; seed += 1) {
    const steps = recordingOf(new Prng(seed), seed % 4 === 3);
    const every = steppedReplay(setupFor(seed), steps, false);
    const due = steppedReplay(setupFor(seed), steps, true);
    // The exchange's levels lack what the bot itself took; a book of the statistics' own has it.
    const ofQueue = { nothingAhead: expect.any(Number), notModelled: expect.any(Array) };
    const expected = { ...withoutQueues(every.result), ...ofQueue };
    expect(withoutQueues(due.result), `seed ${seed}`).toEqual(expected);
    fills += every.result.fills;
    all += every.kernelSteps;
    saved += every.kernelSteps - due.kernelSteps;
  }
  expect(fills).toBeGreaterThan(4 * RECORDINGS);
  expect(saved / all).toBeGreaterThan(0.05);
});
