import { expect, test } from "vitest";
import { mergeByTime } from "../../src/recordings/merge-by-time.ts";

interface Timed {
  readonly atUs: number;
  readonly name: string;
}

function source(name: string, times: readonly number[], log: string[], beginUs?: number) {
  return {
    beginUs,
    *[Symbol.iterator](): Generator<Timed> {
      log.push(`open ${name}`);
      for (const atUs of times) yield { atUs, name };
      log.push(`end ${name}`);
    },
  };
}

test("a source that states its beginning is opened when that is due, and not before", () => {
  const log: string[] = [];
  const sources = [
    source("late", [30, 40], log, 30),
    source("early", [10, 20, 30], log, 10),
    source("empty", [], log, Number.POSITIVE_INFINITY),
  ];
  for (const { atUs, name } of mergeByTime(sources)) log.push(`${atUs} ${name}`);
  // At equal times the earlier source of the list comes first.
  expect(log.join(", ")).toBe(
    "open early, 10 early, 20 early, open late, 30 late, 30 early, end early, 40 late, end late",
  );
});

test("sources that do not state it are open from the start", () => {
  const log: string[] = [];
  const merged = mergeByTime([source("b", [2, 3], log), source("a", [1, 2], log)]);
  expect([...merged].map(({ atUs, name }) => `${atUs} ${name}`)).toEqual([
    "1 a",
    "2 b",
    "2 a",
    "3 b",
  ]);
  expect(log).toEqual(["open b", "open a", "end a", "end b"]);
});
