import { expect, test } from "vitest";
import { SweepBar } from "../../src/cli/sweep-bar.ts";
import { Terminal } from "../../src/cli/terminal.ts";

const terminal = (json: boolean) =>
  new Terminal(json, { out: () => undefined, err: () => undefined, isTerminal: true });

function drawn(json: boolean): string {
  let written = "";
  const bar = new SweepBar(terminal(json), {
    isTTY: true,
    write: (text) => {
      written += text;
    },
  });
  bar.draw({ done: 5, total: 10, reused: 2 });
  bar.clear();
  expect(bar.text).toBe("5 of 10 replays are done.");
  return written;
}

test("a sweep's progress is drawn on a terminal, and wiped at the end", () => {
  expect(drawn(false)).toMatch(/^\r {0,}5\/10 {2}█+░+ {2}50%/);
  expect(drawn(false).endsWith("\r\u001b[2K")).toBe(true);
});

test("nothing is drawn with --json", () => {
  expect(drawn(true)).toBe("");
});
