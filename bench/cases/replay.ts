import { z } from "zod";
import { replay } from "../../src/backtest/replay.ts";
import { ReplayRecorder } from "../../src/backtest/replay-recorder.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { levelsOf } from "../../src/book/book-audit.ts";
import { LevelBook } from "../../src/book/level-book.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { venueModels } from "../../src/simulated/venue-models.ts";
import {
  defineStrategy,
  keepQuotes,
  setQuotes,
  type WantedQuote,
} from "../../src/strategy/contract.ts";
import { trialSetup } from "../../src/testing/setup.ts";
import type { BenchCase, BenchRun, LoopSide } from "../bench-case.ts";
import { Hftbacktest, HFTBACKTEST_MISSING } from "../replay/hftbacktest.ts";
import { RepeatedRecording } from "../replay/set-one.ts";

const STEP_MS = 100;
const LEVELS = 5;
/** Copies of the set before the first round, so that code is compiled. */
const WARM_COPIES = 20;
/** The peer multiplies ticks by 0.01. */
const PRICE_ERROR = 1e-9;

/** Two times five quotes, 2 apart on whole steps, the nearest 5 from the mid, as in the peers' examples. */
const grid = defineStrategy({
  name: "grid",
  params: z.strictObject({}),
  init: () => ({}),
  decide({ view }) {
    const wake = { wakeAtMs: view.nowMs + STEP_MS, wakeOn: "time" as const };
    const { mid } = view.book;
    if (mid === undefined) return keepQuotes(wake);
    const bid = Math.floor((mid - 5) / 2) * 2;
    const ask = Math.ceil((mid + 5) / 2) * 2;
    const bids: WantedQuote[] = [];
    const asks: WantedQuote[] = [];
    for (let level = 0; level < LEVELS; level += 1) {
      bids.push({ price: bid - 2 * level, size: "0.001" });
      asks.push({ price: ask + 2 * level, size: "0.001" });
    }
    return setQuotes({ bids, asks, ...wake });
  },
});

/**
 * G10: a replay of set 01, repeated without end, with a grid of ten quotes that decides each 100 ms: one operation is one recorded level
 * change. Ours is the whole replay from the compiled recording to the statistics of the result. What counts is the processor time of each
 * side's process, all threads.
 */
export const gridReplay: BenchCase = {
  goal: "G10",
  title: "replay of set 01 over and over, grid 2 x 5 each 100 ms, a level change",
  unit: "per-second",
  prepare: (scale) => beside("grid", replaySide, scale),
};

/** G11: compiled recording to the best bid and ask after every frame, beside hftbacktest's loop that reads them each 100 ms. */
export const bookReplay: BenchCase = {
  goal: "G11",
  title: "recording of set 01 over and over, book only, a level change",
  unit: "per-second",
  prepare: (scale) => beside("book", async (recording) => bookSide(recording), scale),
};

type SideOf = (recording: RepeatedRecording) => Promise<LoopSide & { check(): string | undefined }>;

async function beside(what: "book" | "grid", sideOf: SideOf, scale: number): Promise<BenchRun> {
  const recording = new RepeatedRecording();
  const { source, levelChanges, frames, touch, name, notJudged } = recording;
  const ours = await sideOf(recording);
  const peer =
    source !== undefined && Hftbacktest.isInstalled() ? new Hftbacktest(source) : undefined;
  const ready = await peer?.ready;
  const sides: LoopSide[] = [ours];
  if (peer !== undefined) {
    const run = (changes: number) => peer.run(what, (changes * frames) / levelChanges);
    const processorMs = () => peer.processorMs;
    await run(WARM_COPIES * levelChanges * scale);
    sides.push({ name: `hftbacktest ${ready?.version ?? ""}`, run, processorMs });
  }
  // Much code takes long to be compiled.
  await ours.run(WARM_COPIES * levelChanges * scale);
  return {
    sides,
    clock: "processor",
    check() {
      if (ready !== undefined) {
        const isSame =
          ready.levelChanges === levelChanges &&
          Math.abs(ready.bid - touch.bid) + Math.abs(ready.ask - touch.ask) < PRICE_ERROR;
        if (!isSame)
          return `${JSON.stringify(ready)} beside ${JSON.stringify({ levelChanges, touch })}`;
      }
      return ours.check();
    },
    missing: peer === undefined ? [HFTBACKTEST_MISSING] : [],
    notJudged,
    remarks: () => [`${name}: ${frames} frames, ${levelChanges} level changes, then again`],
    async close() {
      await peer?.close();
      recording.close();
    },
  };
}

const replaySide: SideOf = async (recording) => {
  const crypto = await loadCrypto();
  const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);
  const { market, ...trial } = trialSetup(grid, {});
  const latency = constantDelays({ entry: 1, response: 1, feed: 0 });
  const setup = {
    ...trial,
    models: venueModels({ fills: defaultFills, latency, fees: marketFees }, "recording"),
  };
  const recorder = new ReplayRecorder(setup, keccak256);
  const counted = { levelChanges: 0, wanted: 0, fills: 0 };
  const recorded = (step: RecordedStep, isWarmUp: boolean): void => {
    recorder.recorded(step, isWarmUp);
    if (step.event.type !== "depth") return;
    counted.levelChanges += levelsOf(step.event.event);
  };
  const moments = replay({
    setup,
    steps: recording.steps(market.marketId),
    keccak256,
    watcher: {
      begins: recorder.begins.bind(recorder),
      recorded,
      block: (block, orders, mid) => {
        for (const { fill } of block.orderEvents) if (fill !== undefined) counted.fills += 1;
        recorder.block(block, orders, mid);
      },
      decided: recorder.decided.bind(recorder),
      stepped: recorder.stepped.bind(recorder),
      stopped: recorder.stopped.bind(recorder),
    },
  });
  return {
    name: "touchline replay",
    run(changes) {
      counted.wanted += changes;
      while (counted.levelChanges < counted.wanted) moments.next();
    },
    check: () =>
      counted.fills === 0 && counted.levelChanges > recording.levelChanges
        ? "nothing was filled"
        : undefined,
  };
};

function bookSide(recording: RepeatedRecording): LoopSide & { check(): string | undefined } {
  const book = new LevelBook();
  const { bids, asks } = book;
  const frames = recording.frameLevels();
  const counted = { levelChanges: 0, wanted: 0, touched: 0 };
  return {
    name: "touchline book",
    run(changes) {
      counted.wanted += changes;
      while (counted.levelChanges < counted.wanted) {
        const levels = frames.next().value;
        book.apply(levels);
        counted.levelChanges += levelsOf(levels);
        counted.touched += (bids.bestPrice ?? 0) + (asks.bestPrice ?? 0);
      }
    },
    check: () => (counted.touched > 0 ? undefined : "the book stayed empty"),
  };
}
