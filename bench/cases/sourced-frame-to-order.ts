import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { createStore } from "../../src/platform/store.ts";
import type { BenchCase, SampledSide } from "../bench-case.ts";
import { FrameClock } from "../frame-to-order/frame-clock.ts";
import { termsFor } from "../frame-to-order/terms.ts";
import { TouchlineBot } from "../frame-to-order/touchline-bot.ts";
import { recordedFrames } from "../recorded-frames.ts";

const SOURCES = 10;

/**
 * G1d: as G1, with ten price sources that give 50 values a second each, and a strategy that reads them all, beside the same bot
 * without. Frames are a millisecond apart, so a value comes with every second one: in the batch of every twentieth frame, as chance would
 * have it, else between two frames.
 */
export const sourcedFrameToOrder: BenchCase = {
  goal: "G1d",
  title: "frame bytes to signed order, ten price sources beside none",
  unit: "us",
  async prepare() {
    const recorded = recordedFrames();
    const terms = termsFor(recorded.book);
    const crypto = await loadCrypto();
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
    const store = createStore();
    const made = [SOURCES, 0].map((sources) => {
      const own = { book: recorded.book, terms, crypto, store, folder: `${folder}/${sources}` };
      const bot = new TouchlineBot({ ...own, sources });
      const frames = new FrameClock(recorded, () => bot.begin());
      const side: SampledSide = {
        name: sources === 0 ? "without sources" : `with ${sources} sources`,
        samplesPerRound: 1_000,
        samplesToWarm: 6_500,
        async sample(samplesUs) {
          for (let at = 0; at < samplesUs.length; at += 1) {
            const { frame, nowMs } = frames.next();
            samplesUs[at] = bot.onFrame(frame, nowMs);
            if (bot.isWaiting) await bot.sent();
            bot.settle();
          }
          await bot.sync();
        },
      };
      return { bot, side };
    });
    const bots = made.map(({ bot }) => bot);
    return {
      sides: made.map(({ side }) => side),
      check: () => bots.map(({ problem }) => problem).find((problem) => problem !== undefined),
      async close() {
        for (const bot of bots) await bot.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
