import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { createStore } from "../../src/platform/store.ts";
import type { BenchCase, SampledSide } from "../bench-case.ts";
import { FrameClock } from "../frame-to-order/frame-clock.ts";
import { TouchlineBot } from "../frame-to-order/touchline-bot.ts";
import { termsFor } from "../frame-to-order/terms.ts";
import { type LifeBot, LifeRun } from "../life/life-run.ts";
import { tickParts } from "../life/part-probe.ts";
import { median, percentile } from "../percentile.ts";
import { recordedFrames } from "../recorded-frames.ts";

/** Half a minute of moves. */
const SAMPLES = 300;

/**
 * G1c: G1 in life. `touchline run` and the plain build run as processes of their own beside one paper venue with the demo's market. The
 * same probe in both measures from the socket's callback with a depth frame to the moment at which undici has the request; both move a
 * quote with one signed modify. A round is about a minute, half of it for each side: `--rounds 10` shows the tenth minute beside
 * the first. The third side is our hot loop of G1 in the same minutes.
 */
export const life: BenchCase = {
  goal: "G1c",
  title: "frame to order in life, processes beside a paper venue, 10 frames/s",
  unit: "us",
  async prepare(scale) {
    const run = await LifeRun.start({ withParts: scale === 1 });
    const loop = await hotLoop();
    const side = (name: string, bot: LifeBot): SampledSide => ({
      name,
      samplesPerRound: SAMPLES,
      samplesToWarm: 0,
      async sample(samplesUs) {
        samplesUs.set(await bot.next(samplesUs.length));
      },
    });
    return {
      sides: [
        side("touchline run", run.ours),
        side("plain (JSON.parse, decimal.js, p-queue, ethers Wallet, undici)", run.plain),
        loop.side,
      ],
      check() {
        if (run.ours.hasEnded || run.plain.hasEnded) return "a bot has ended";
        return loop.bot.problem;
      },
      remarks: () => [
        ...minutesOf(run),
        `load ${Math.min(...run.loads).toFixed(1)} to ${Math.max(...run.loads).toFixed(1)}; ${run.ours.frames} frames, ${run.ours.samples.length} and ${run.plain.samples.length} orders`,
      ],
      parts: async () =>
        Object.fromEntries(
          tickParts.map((part) => {
            const us = run.ours.parts.map((one) => one.us[part]);
            return [part, Number(median(us).toFixed(1))];
          }),
        ),
      async close() {
        await run.close();
        await loop.close();
      },
    };
  },
};

function minutesOf({ ours, plain }: LifeRun): string[] {
  const lines: string[] = [];
  for (let minute = 1; ours.minute(minute).length > 0; minute += 1) {
    const [mine, theirs] = [ours.minute(minute), plain.minute(minute)].map((us) =>
      [0.5, 0.99].map((share) => percentile(us, share).toFixed(0)).join(" / "),
    );
    const measured = ours.partsOf(minute);
    const parts = tickParts.map(
      (part) => `${part} ${median(measured.map((us) => us[part])).toFixed(0)}`,
    );
    lines.push(`minute ${minute}, p50 / p99 us: ours ${mine}, plain ${theirs}`);
    if (measured.length > 0) lines.push(`  parts of ours, median us: ${parts.join("; ")}`);
  }
  return lines;
}

/** Our side of G1. */
async function hotLoop() {
  const recorded = recordedFrames();
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
  const bot = new TouchlineBot({
    book: recorded.book,
    terms: termsFor(recorded.book),
    crypto: await loadCrypto(),
    store: createStore(),
    folder,
  });
  const frames = new FrameClock(recorded, () => bot.begin());
  const side: SampledSide = {
    name: "touchline, hot loop of G1",
    samplesPerRound: 1_000,
    samplesToWarm: recorded.frames.length,
    async sample(samplesUs) {
      for (let at = 0; at < samplesUs.length; at += 1) {
        const { frame, nowMs } = frames.next();
        samplesUs[at] = bot.onFrame(frame, nowMs);
        if (bot.isWaiting) await bot.sent();
        bot.settle();
        // The bots in life share this machine's processors with the loop.
        if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await bot.sync();
    },
  };
  const close = async (): Promise<void> => {
    await bot.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { bot, side, close };
}
