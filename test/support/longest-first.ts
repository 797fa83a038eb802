import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take more than six seconds, the longest first; those that compute stand among those that wait. */
const long = [
  "hostile/hostile-venue",
  "browser/dashboard",
  "bin/launcher",
  "bench/cases",
  "testing/replay",
  "process/soak",
  "sim/whole-bot.sim",
  "process/blocked",
  "cli/session-bot",
  "sim/contingent-bot.sim",
  "process/guard",
  "process/bot",
  "cli/authoring",
  "cli/sweep",
  "process/paper",
  "conformance/sockets",
  "process/record",
  "sim/sessions.sim",
  "cli/signals",
  "runtime/live",
  "sdk/docs",
  "cli/venue-commands",
  "backtest/run-replay",
  "exchange/recorded-liquidity.prop",
  "sim/own-orders.sim",
  "parity/known-venue",
  "cli/exposed-files",
  "session/session-trouble",
  "process/operator",
];

/** Name of the vitest project whose files share processes. */
export const TOGETHER = "together";

/**
 * Begins each project with its long files, so that none of them runs alone at the end while a core is idle. A fresh clone has no times of an
 * earlier run, and vitest would go by the files' sizes. The files that share processes come last: vitest ends a process when the next file
 * of the queue cannot use it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const at = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  const place = at < 0 ? long.length : at;
  return project.name === TOGETHER ? long.length + 1 + place : place;
}
