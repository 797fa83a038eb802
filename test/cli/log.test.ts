import { expect, test } from "vitest";
import { logText } from "../../src/cli/log.ts";

const time = Date.UTC(2026, 0, 31, 14, 2, 43, 695);

test("a terminal shows a log line with its ISO time and the name of its level", () => {
  const line = JSON.stringify({ level: 30, time, side: "BUY", price: "0.21437", msg: "fill" });
  expect(logText(line)).toEqual(["2026-01-31T14:02:43.695Z info  fill side=BUY price=0.21437"]);
});

test.each([
  ["a strategy", { stack: "Error: no\n    at decide (m.ts:3:7)" }],
  ["the program", { err: { message: "no", stack: "Error: no\n    at decide (m.ts:3:7)" } }],
])("a terminal shows the stack of an error of %s", (_, fields) => {
  const [first, ...stack] = logText(JSON.stringify({ level: 50, time, ...fields, msg: "failed" }));
  expect(first).toMatch(/^2026-01-31T14:02:43\.695Z error failed/);
  expect(stack).toEqual(["Error: no", "    at decide (m.ts:3:7)"]);
});
