import { expect, test } from "vitest";
import { runLine } from "./run-line.ts";

test("a replay stops a strategy that kept Date.now when its file was loaded", async () => {
  const data = "--data config/recordings/zilusdt --market 1_2=ZIL_USDT";
  const line = `replay config/demo.yaml ${data} --strategy test/cli/impure/kept-clock.ts --json`;
  const { err } = await runLine(line.split(" "));
  expect(err).toContain("decide calls Date.now() at test/cli/impure/kept-clock.ts:");
});
