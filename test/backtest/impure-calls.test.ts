import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { impureSource } from "../../src/config/impure-source.ts";
import { defineStrategy, noQuotes, z } from "../../src/index.ts";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import { attempts, clockwork } from "./impure/clockwork.ts";

const file = path.join(import.meta.dirname, "impure/clockwork.ts");
const lines = readFileSync(file, "utf8").split("\n");
const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;
const book = { bids: [[99, 5]], asks: [[101, 5]] } as const;

describe.each(Object.keys(attempts))("a strategy that calls %s", (attempt) => {
  const place = `test/backtest/impure/clockwork.ts:${lineOf(`"${attempt}": `)}:`;

  test("is stopped in tryStrategy, with function, file and line", async () => {
    const trying = tryStrategy(clockwork(attempt)).then((bot) => bot.book(book));
    await expect(trying).rejects.toThrow(`clockwork: decide calls ${attempt} at ${place}`);
  });

  test("is stopped in a replay, also when it catches the error", async () => {
    const { warnings } = await replayStrategy(clockwork(attempt, { hides: true }), {
      market: { duration: "10s" },
    });
    expect(warnings.join("\n")).toContain(`clockwork: decide calls ${attempt} at ${place}`);
  });
});

test("the sentence says what to use instead", async () => {
  const { warnings } = await replayStrategy(clockwork("Math.random()"), {
    market: { duration: "10s" },
  });
  expect(warnings.join("\n")).toContain("Random numbers come from new Prng(seed)");
});

test("a replay reports an error of the strategy with file and line", async () => {
  const text = readFileSync(import.meta.filename, "utf8").split("\n");
  const lineOfThrow = text.findIndex((line) => /^ +if .* throw new TypeError/.test(line)) + 1;
  const broken = defineStrategy({
    name: "broken",
    params: z.strictObject({}),
    init: () => ({ levels: [1, 2] }),
    decide({ state }) {
      if (state.levels.length > 1) throw new TypeError("no levels yet");
      return noQuotes("nothing to do");
    },
  });
  const place = `no levels yet (test/backtest/impure-calls.test.ts:${lineOfThrow}:`;
  const { warnings } = await replayStrategy(broken, { market: { duration: "10s" } });
  expect(warnings.join("\n")).toContain(place);
});

test("outside of a strategy's calls everything works as before, and dates of known times everywhere", async () => {
  const { warnings } = await replayStrategy(clockwork("nothing"), { market: { duration: "10s" } });
  expect(warnings.filter((warning) => warning.includes("calls"))).toEqual([]);
  for (const attempt of Object.values(attempts)) expect(attempt).not.toThrow();
  expect(new Date()).toBeInstanceOf(Date);
  expect(Date.now()).toBeGreaterThan(1.6e12);
  expect(typeof Date()).toBe("string");
});

test("check finds the same places in the text, and none in comments and texts", () => {
  const found = impureSource(file).map((sentence) => sentence.replace(/: [^:]+$/, ""));
  const shown = "test/backtest/impure/clockwork.ts";
  for (const [text, what] of [
    ['from "node:crypto"', "imports crypto"],
    ['from "node:fs"', "imports fs"],
    ["Date.now(),", "uses Date.now"],
    ["      Date.now();", "uses Date.now"],
    ["() => new Date()", "uses new Date()"],
    ["performance.now(),", "uses performance.now"],
    ["process.hrtime.bigint(),", "uses process.hrtime"],
    ["Math.random() -", "uses Math.random"],
    ["() => fetch(", "uses fetch()"],
    ["() => setTimeout(", "uses setTimeout()"],
    ['from "node:child_process"', "imports child_process"],
    ['from "node:os"', "imports os"],
    ['from "node:timers/promises"', "imports timers/promises"],
  ] as const) {
    expect(
      found.some((one) => one.startsWith(`${shown}:${lineOf(text)}:`) && one.endsWith(what)),
    ).toBe(true);
  }
  expect(found).toHaveLength(13);
});

test("check finds what reaches the venue or another server, also while the file loads, but no types", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-impure-"));
  const reads = path.join(folder, "reads.ts");
  writeFileSync(
    reads,
    `import { connectVenue } from "touchline/venue";
import type { Venue } from "touchline/venue";
import type { Stats } from "node:fs";
const past = await import("touchline/venue/endpoints/candles");
export { WebSocket } from "ws";
const stream = new WebSocket("ws://127.0.0.1");
`,
  );
  try {
    expect(impureSource(reads).map((one) => one.slice(reads.length + 1))).toEqual([
      expect.stringMatching(
        /^1:.* imports touchline\/venue: .*journal verify.*while the file loads/,
      ),
      expect.stringMatching(/^4:.* imports touchline\/venue\/endpoints\/candles: /),
      expect.stringMatching(/^5:.* imports ws: /),
      expect.stringMatching(/^6:.* uses new WebSocket: /),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("check finds nothing in the built-in strategies", () => {
  for (const name of ["pure-market-making", "bracket-entry"]) {
    expect(impureSource(path.resolve(`strategies/${name}.ts`))).toEqual([]);
  }
});
