import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded into a bot with `--import`. On SIGUSR2 it prints the delays of the main thread's event loop since the last one, as a JSON line
 * on stderr, in milliseconds beyond the timer's own interval, and starts anew.
 */

const RESOLUTION_MS = 1;

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const beyondMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on("SIGUSR2", () => {
    const [p50, p99, p999] = [50, 99, 99.9].map((share) => beyondMs(delays.percentile(share)));
    const line = { event: "delays", p50, p99, p999, max: beyondMs(delays.max) };
    process.stderr.write(`${JSON.stringify(line)}\n`);
    delays.reset();
  });
}
