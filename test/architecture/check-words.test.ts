import { describe, expect, test } from "vitest";
import { checkTypeNames, checkWords, readTextFiles } from "./check-words.ts";
import { mayNamePrivatePlaces, mayUseRetiredWords, privatePlaces, retiredWords } from "./words.ts";

const everything = readTextFiles();

describe("the project", () => {
  test("uses no name or phrase that was retired", () => {
    expect(checkWords(everything, retiredWords, mayUseRetiredWords)).toEqual([]);
  });

  test("names no document and no path that does not ship with it", () => {
    expect(checkWords(everything, privatePlaces, mayNamePrivatePlaces)).toEqual([]);
  });

  test("exports each type name from one file only", () => {
    const sources = everything.filter(({ path }) => /^src\/.*\.tsx?$/.test(path));
    expect(checkTypeNames(sources)).toEqual([]);
  });
});

const uses = (path: string, text: string) => checkWords([{ path, text }], retiredWords).length > 0;

describe("checkWords", () => {
  test.each([
    ["src/kernel/a.ts", "export interface StopWish {}"],
    ["src/kernel/a.ts", "/** What is wished for. */\nconst wishes = 1;"],
    ["src/kernel/a.ts", "const { deskByName } = state;"],
    ["src/exchange/order-desk.ts", ""],
    ["src/exchange/a.ts", "class Clerk {}"],
    ["src/exchange/a.ts", "const guestCommands = 1;"],
    ["src/sim/witness.ts", ""],
    ["src/runtime/a.ts", "await patiently(() => 1);"],
    ["src/backtest/a.ts", "class ReplayStudy {}"],
    ["src/book/a.ts", "interface ReadPatience {}"],
    ["src/risk/a.ts", "const { lastHeardMs } = context;"],
    ["src/kernel/a.ts", 'const input = { type: "turnWanted" };'],
    ["src/kernel/a.ts", "const withdrawalMs = 1;"],
    ["src/kernel/a.ts", 'const input = { type: "answer" };'],
    ["src/kernel/a.ts", "const { why } = decision;"],
    ["strategies/a.ts", "setQuotes({ why: {} });"],
    ["docs/a.md", "A word of the venue came."],
    ["docs/a.md", "Whoever reads this is told of it."],
    ["config/a.yaml", "latency: { command: 20ms, news: 20ms }"],
    ["README.md", "A filled entry brings its exits along."],
  ])("%s may not have %s", (path, text) => {
    expect(uses(path, text)).toBe(true);
  });

  test.each([
    ["web/src/a.tsx", "/* at desktop width */"],
    ["docs/a.md", "This is why a quote is placed once."],
    ["src/venue/a.ts", "const withdrawalDelayMs = 1;"],
    ["src/spec/a.ts", "/** The response answers the request. */"],
  ])("%s may have %s", (path, text) => {
    expect(checkWords([{ path, text }], retiredWords)).toEqual([]);
  });

  test("leaves out files that have to know the old names", () => {
    const file = { path: "CHANGELOG.md", text: "`Clerk` is `CommandProcessor`" };
    expect(checkWords([file], retiredWords, mayUseRetiredWords)).toEqual([]);
  });

  test.each([
    "// as HOUSE says",
    "/** The line of CONTRACT `replay`. */",
    "see ../shared/spec/x.txt",
    "in /tmp/w/one",
    "docs of research/style.md",
  ])("finds the private place in %s", (text) => {
    expect(checkWords([{ path: "src/a.ts", text }], privatePlaces)).toHaveLength(1);
  });

  test.each([
    "../shared/data/01",
    "CONTRACT_ADDRESS, NO_CONTRACT",
    "IN AN ACTION OF CONTRACT, TORT",
  ])("finds none in %s", (text) => {
    expect(checkWords([{ path: "src/a.ts", text }], privatePlaces)).toEqual([]);
  });
});

describe("checkTypeNames", () => {
  const check = (...texts: readonly string[]) =>
    checkTypeNames(texts.map((text, at) => ({ path: `src/room/${at}.ts`, text })));

  test("finds a type, class or interface that two files export", () => {
    expect(check("export interface Level {}", "export class Level {}")).toEqual([
      "Level is exported by src/room/0.ts and src/room/1.ts",
    ]);
  });

  test("leaves out re-exports, names inside a file and comments", () => {
    const elsewhere =
      'export type { Level } from "./0.ts";\ninterface Level {}\n// export type Level = 1';
    expect(check("export interface Level {}", elsewhere)).toEqual([]);
  });
});
