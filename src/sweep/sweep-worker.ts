import { loadKeccak256 } from "../platform/keccak.ts";
import { systemClock } from "../platform/clock.ts";
import { nodeCompression } from "../platform/compression.ts";
import { tellOfBlockedCalls } from "../platform/call-watchdog.ts";
import type { LastWords } from "../platform/process-pool.ts";
import { createStore } from "../platform/store.ts";
import type { SweepJob } from "./job.ts";
import { JobRunner } from "./run-job.ts";

/** A child process of a sweep: each message is a job to run, and its report is sent back. */
const runner = loadKeccak256().then(
  (keccak256) =>
    new JobRunner({
      io: { store: createStore(), compression: nodeCompression },
      keccak256,
      clock: systemClock,
      env: process.env,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    }),
);

process.on("message", (message) => {
  // Only the pool of `openJobPool` sends messages.
  void answer(message as SweepJob);
});
tellOfBlockedCalls((sentence) => {
  const words: LastWords = { lastWords: sentence };
  process.send?.(words);
});
// Its parent has ended, perhaps in the middle of a job.
process.on("disconnect", () => process.exit());
// Ctrl-C reaches the whole group of processes; the parent decides when this one ends.
process.on("SIGINT", () => undefined);

async function answer(job: SweepJob): Promise<void> {
  process.send?.(await (await runner).run(job));
}
