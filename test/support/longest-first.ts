import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take half a minute or so, the longest first; those that compute stand among those that wait. */
const long = [
  "sim/whole-bot.sim",
  "hostile/hostile-venue",
  "session/session-trouble",
  "cli/session-bot",
  "process/bot",
  "runtime/stale-depth",
  "process/guard",
  "cli/authoring",
  "sim/contingent-bot.sim",
  "process/soak",
  "runtime/stale-channels",
  "runtime/live",
];

/** Name of the vitest project whose files share processes. */
export const TOGETHER = "together";

/**
 * Begins with the long files, so that none of them runs alone at the end while a core is idle. A fresh clone has no times of an earlier
 * run, and vitest would go by the files' sizes. Ends with the files that share processes: vitest ends a process when the next file of the
 * queue cannot use it.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  if (project.name === TOGETHER) return long.length + 1;
  const at = long.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? long.length : at;
}
