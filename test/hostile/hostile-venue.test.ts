import { describe, expect, it } from "vitest";
import { lies } from "./lies.ts";
import { tellLies } from "./tell-lies.ts";

/** Every twentieth lie; `npm run test:soak` tells them all. */
const some = lies.filter((_, at) => at % 20 === 0);

describe("a hostile venue", () => {
  it("has lies by the dozen, each with a name of its own", () => {
    expect(lies.length).toBeGreaterThanOrEqual(40);
    expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length);
  });

  it("does not make a bot lose money, flood the market or leave an order that its exit does not name", async () => {
    const inOneProcess = { perProcess: some.length, atOnce: 1 };
    const { lines, failed, table, grownMiB, stallMs } = await tellLies(some, inOneProcess);
    process.stdout.write(
      `${lines.join("\n")}\n\n${table}\n\ngrown by ${grownMiB} MiB, longest stall ${stallMs} ms\n`,
    );
    expect(failed).toEqual([]);
    expect(grownMiB).toBeLessThan(300);
  });
});
