import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take half a minute or so, the longest first; those that compute stand among those that wait. */
const long = [
  "hostile/hostile-venue",
  "testing/replay",
  "sim/whole-bot.sim",
  "process/soak",
  "process/guard",
  "cli/sweep",
  "session/session-trouble",
  "process/bot",
  "sim/contingent-bot.sim",
  "process/blocked",
  "runtime/stale-channels",
  "cli/authoring",
  "runtime/wrong-time",
  "process/operator",
  "session/session-keeper",
  "process/risk-ladder",
  "sim/sessions.sim",
  "recordings/golden",
  "sim/own-orders.sim",
  "cli/signals",
  "process/starting",
  "process/paper",
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
