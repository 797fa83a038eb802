import type { WorldOptions, WorldReport } from "./world.ts";

/** A failing world made smaller, and what it does. */
export interface Shrunk {
  readonly options: WorldOptions;
  readonly report: WorldReport;
}

/** Shorter spans of faults are tried down to this. */
const SHORTEST_MS = 2_000;

/** The name of the invariant that a violation names. */
function invariantOf(violation: string): string | undefined {
  return /^[\d.]+ s: ([\w-]+)/.exec(violation)?.[1];
}

/**
 * Drops faults and time of a failing world as long as it still breaks the same invariant: one fault after the other, until none can go,
 * and half of the time.
 */
export async function shrink(
  options: WorldOptions,
  report: WorldReport,
  run: (options: WorldOptions) => Promise<WorldReport>,
): Promise<Shrunk> {
  const broken = new Set(report.violations.map(invariantOf));
  let smallest: Shrunk = { options: { ...options, faults: report.faults }, report };
  const tryOut = async (change: Partial<WorldOptions>): Promise<boolean> => {
    const smaller = { ...smallest.options, ...change };
    const result = await run(smaller);
    if (!result.violations.some((violation) => broken.has(invariantOf(violation)))) return false;
    smallest = { options: smaller, report: result };
    return true;
  };
  for (let hasDropped = true; hasDropped; ) {
    hasDropped = false;
    for (const name of smallest.options.faults ?? []) {
      const left = smallest.options.faults?.filter((other) => other !== name);
      if (await tryOut({ faults: left })) hasDropped = true;
    }
  }
  for (
    let halfMs = smallest.options.faultsMs / 2;
    halfMs >= SHORTEST_MS && (await tryOut({ faultsMs: Math.round(halfMs) }));
  ) {
    halfMs /= 2;
  }
  return smallest;
}
