import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take more than six seconds, the longest first; those that compute stand among those that wait. */
const long = [
  "hostile/hostile-venue",
  "cli/mcp",
  "bin/launcher",
  "browser/dashboard",
  "bench/cases",
  "sim/whole-bot.sim",
  "process/takes",
  "process/soak",
  "cli/authoring",
  "process/guard",
  "testing/conforms",
  "process/blocked",
  "process/bot",
  "cli/sweep",
  "process/starting",
  "process/blocked-replay",
  "process/operator",
  "session/session-trouble",
  "process/venue-data",
  "cli/signals",
  "process/record",
  "sim/own-orders.sim",
  "testing/replay",
  "runtime/doubted-fills",
  "sim/mutants",
  "conformance/sockets",
  "parity/known-venue",
  "cli/exposed-files",
  "cli/session-bot",
  "kernel/twenty-markets",
  "process/statement",
  "process/paper",
  "sdk/docs",
  "backtest/run-replay",
  "runtime/live",
  "cli/keystore",
  "cli/parity",
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
