import { defineConfig } from "vitest/config";
import { LongestFirst, TOGETHER } from "./test/support/longest-first.ts";
import { PATIENCE } from "./test/support/patience.ts";

/** Undefined for the usual tests, `hour` for a long test that runs by the real clock, else all other long ones. */
const soak = process.env["TOUCHLINE_SOAK"];
const isSoak = soak !== undefined;
const left = isSoak ? (soak === "hour" ? [] : ["test/soak/hour.test.ts"]) : ["test/soak/**"];

/** Files that each have a process of their own; all others share processes (docs/decisions/044-what-npm-test-runs-and-how.md). */
const alone = ["bench/cases", "browser/actions", "browser/dashboard", "browser/report"].map(
  (name) => `test/${name}.test.ts`,
);
const projects = [
  { extends: true as const, test: { name: "alone", include: alone } },
  {
    extends: true as const,
    test: { name: TOGETHER, include: ["test/**/*.test.ts"], exclude: alone, isolate: false },
  },
];

export default defineConfig({
  test: {
    ...(isSoak ? { include: ["test/soak/**/*.test.ts"] } : { projects }),
    exclude: ["**/node_modules/**", ...left],
    globalSetup: "test/support/run-folder.ts",
    // Node imports sources and tests by itself, as in every other process (docs/decisions/044-what-npm-test-runs-and-how.md).
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: "forks",
    // On two cores: tests of processes and sockets wait more than they work.
    maxWorkers: 4,
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    execArgv: [
      // Makes "touchline" mean `src/index.ts`; worker threads that a test starts inherit it.
      "--conditions=touchline-source",
      // As in `npm run sim`: worlds and recordings make much garbage, and the collector runs half as often.
      "--max-semi-space-size=64",
    ],
    // Only a test that hangs reaches it: the machine may be busy.
    testTimeout: isSoak ? 1_800_000 : 300_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
    // A test whose assertions all stand in a loop or a callback that never runs fails.
    expect: { requireAssertions: true, poll: PATIENCE },
    restoreMocks: true,
    unstubEnvs: true,
    // vitest would decide these by the variable CI: a forgotten `.only` or a new snapshot fails everywhere.
    allowOnly: false,
    update: "none",
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts", "strategies/**/*.ts"],
      reporter: ["text-summary", "html"],
    },
  },
});
