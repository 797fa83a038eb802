import { monitorEventLoopDelay } from "node:perf_hooks";
import { faultsOf, lieTo, lineOf } from "./lied-to.ts";
import type { Lie } from "./lies.ts";

/** Bots that are lied to at the same time, each at a venue of its own. */
const AT_ONCE = 6;

export interface Told {
  /** One line for each lie. */
  readonly lines: readonly string[];
  readonly failed: readonly string[];
  /** By how much the process grew, MiB, and the longest stall of its event loop, ms: all bots, venues and proxies together. */
  readonly grownMiB: number;
  readonly stallMs: number;
}

/** Tells each lie to a bot of its own, a few at a time. */
export async function tellLies(lies: readonly Lie[]): Promise<Told> {
  const rssBefore = process.memoryUsage().rss;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const queue = [...lies.entries()];
  const lines: string[] = [];
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, lie] = next;
      const outcome = await lieTo(lie, at + 1).catch((error: unknown) => String(error));
      if (typeof outcome === "string") {
        failed.push(`FAIL ${lie.name}: ${outcome}`);
        lines.push(failed.at(-1) ?? "");
        continue;
      }
      const faults = faultsOf(outcome, lie.expected);
      const line = lineOf(outcome, faults);
      lines.push(line);
      if (faults.length > 0) failed.push(line);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  delay.disable();
  const grownMiB = Math.round((process.memoryUsage().rss - rssBefore) / 2 ** 20);
  return { lines, failed, grownMiB, stallMs: Math.round(delay.max / 1e6) };
}
