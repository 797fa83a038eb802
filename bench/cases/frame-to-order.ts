import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { createStore } from "../../src/platform/store.ts";
import type { BenchCase, BenchRun, PartTimes, SampledSide } from "../bench-case.ts";
import { FrameClock } from "../frame-to-order/frame-clock.ts";
import { PlainBot } from "../frame-to-order/plain-bot.ts";
import { termsFor } from "../frame-to-order/terms.ts";
import { TouchlineBot, type Parts } from "../frame-to-order/touchline-bot.ts";
import { median } from "../percentile.ts";
import { recordedFrames } from "../recorded-frames.ts";

/** About one pass of the recording: a bot runs for weeks. */
const SAMPLES_TO_WARM = 6_500;

/**
 * G1, the headline: from the bytes of a depth frame to the signed order that is ready to be posted, its id known, and on our
 * side journaled.
 *
 * Both bots keep two quotes, a bid and an ask at a fixed distance from the mid of the book less their own orders. Each frame
 * moves one of them, in turn, and finds the other resting where it should: so every frame ends in exactly one order, with one
 * order to keep, to count in the limits and not to trade with. Before the frame, outside of what is measured, the venue has
 * acknowledged the last order and canceled the quote whose turn it is. Ours is the path of the driver: scanner, kernel
 * (sync machine, book, tracker, strategy, planner, rate budget, nonce, risk gate), native signer, journal (one write to a real
 * file, made durable between the rounds). Theirs does the same steps with its libraries and has no journal. Nonces are the
 * same, so equal order ids prove equal bytes, signatures included (RFC 6979).
 */
export const frameToOrder: BenchCase = {
  goal: "G1",
  title: "frame bytes to signed order, hot loop",
  unit: "us",
  prepare: () => prepare({ samplesPerRound: 1_000 }),
};

/**
 * G1b: the same at the pace of a live market, 10 ms before each frame in which nothing is due. By then other programs and the event loop
 * have taken the caches.
 */
export const pacedFrameToOrder: BenchCase = {
  goal: "G1b",
  title: "frame bytes to signed order, one frame each 10 ms",
  unit: "us",
  prepare: () => prepare({ samplesPerRound: 150, waitMs: 10 }),
};

interface Pace {
  readonly samplesPerRound: number;
  /** Before each frame that is measured; none in the hot loop. */
  readonly waitMs?: number;
}

async function prepare({ samplesPerRound, waitMs }: Pace): Promise<BenchRun> {
  const recorded = recordedFrames();
  const terms = termsFor(recorded.book);
  const crypto = await loadCrypto();
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
  const plain = new PlainBot({ book: recorded.book, terms });
  const theirFrames = new FrameClock(recorded, () => plain.begin());
  const store = createStore();
  const bot = new TouchlineBot({ book: recorded.book, terms, crypto, store, folder });
  const frames = new FrameClock(recorded, () => bot.begin());

  const ourSide: SampledSide = {
    name: `touchline (${crypto.name})`,
    samplesPerRound,
    samplesToWarm: SAMPLES_TO_WARM,
    async sample(samplesUs, isWarmUp) {
      for (let at = 0; at < samplesUs.length; at += 1) {
        const { frame, nowMs } = frames.next();
        if (waitMs !== undefined && !isWarmUp) await sleep(waitMs);
        samplesUs[at] = bot.onFrame(frame, nowMs);
        // The first order of a run waits for the disk.
        if (bot.isWaiting) await bot.sent();
        bot.settle();
      }
      await bot.sync();
    },
  };
  const plainSide: SampledSide = {
    name: "plain (JSON.parse, decimal.js, p-queue, ethers Wallet)",
    samplesPerRound,
    samplesToWarm: SAMPLES_TO_WARM,
    async sample(samplesUs, isWarmUp) {
      for (let at = 0; at < samplesUs.length; at += 1) {
        const { frame, nowMs } = theirFrames.next();
        if (waitMs !== undefined && !isWarmUp) await sleep(waitMs);
        let end = Number.NaN;
        const start = performance.now();
        await plain.onFrame(frame, nowMs, () => {
          end = performance.now();
        });
        samplesUs[at] = (end - start) * 1000;
        plain.settle();
      }
    },
  };

  return {
    sides: [ourSide, plainSide],
    check: () => bot.problem ?? differenceOf(bot, plain, frames.count),
    notJudged: recorded.notJudged,
    remarks: () => [
      `${recorded.name}: ${recorded.frames.length} frames, ${recorded.levelChanges} level changes; ${bot.orderIds.length} orders compared`,
    ],
    async parts() {
      const parts = noParts();
      for (let count = 0; count < 2 * samplesPerRound; count += 1) {
        const { frame, nowMs } = frames.next();
        if (waitMs !== undefined) await sleep(waitMs);
        bot.parts = parts;
        bot.onFrame(frame, nowMs);
        if (bot.isWaiting) await bot.sent();
        bot.settle();
      }
      bot.parts = undefined;
      await bot.sync();
      return namedParts(parts);
    },
    async close() {
      await bot.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function differenceOf(ours: TouchlineBot, plain: PlainBot, frames: number): string | undefined {
  const made = ours.orderIds.length;
  if (made !== plain.orderIds.length) {
    return `${made} orders against ${plain.orderIds.length} of the plain side`;
  }
  if (made !== frames) return `${made} orders from ${frames} frames`;
  const at = ours.orderIds.findIndex((id, index) => id !== plain.orderIds[index]);
  return at < 0 ? undefined : `order ${at} of ${made} is another one`;
}

function noParts(): Parts {
  return { frame: [], decode: [], kernel: [], sign: [], signature: [], journal: [] };
}

/** Medians, microseconds. */
function namedParts({ frame, decode, kernel, sign, signature, journal }: Parts): PartTimes {
  const rest =
    median(frame) - [decode, kernel, sign, journal].reduce((sum, part) => sum + median(part), 0);
  const named = {
    decode: median(decode),
    kernel: median(kernel),
    "context, RLP, keccak, hex": median(sign) - median(signature),
    signature: median(signature),
    journal: median(journal),
    driver: Math.max(0, rest),
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, us]) => [name, Number(us.toFixed(1))]),
  );
}
