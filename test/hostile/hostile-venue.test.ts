import { describe, expect, it } from "vitest";
import { lies } from "./lies.ts";
import { tellLies } from "./tell-lies.ts";

/** A lie about each part of the interface; `npm run test:soak` tells them all. */
const some = [
  "fill larger than the order everywhere",
  "CANCEL of orders that rest",
  "orders are unknown by id",
  "placements are accepted and do nothing",
  "every third depth event is missing",
  "the market is not listed any more",
  "a balance of a million more",
  "answers are a 503",
];

describe("a hostile venue", () => {
  it("has lies by the dozen, each with a name of its own", () => {
    expect(lies.length).toBeGreaterThanOrEqual(40);
    expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length);
  });

  it("does not make a bot lose money, flood the market or leave an order that its exit does not name", async () => {
    const told = lies.filter(({ name }) => some.includes(name));
    expect(told).toHaveLength(some.length);
    const { lines, failed, table, grownMiB, stallMs } = await tellLies(told);
    process.stdout.write(
      `${lines.join("\n")}\n\n${table}\n\ngrown by ${grownMiB} MiB, longest stall ${stallMs} ms\n`,
    );
    expect(failed).toEqual([]);
    expect(grownMiB).toBeLessThan(300);
  }, 300_000);
});
