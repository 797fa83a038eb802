import { expect, it } from "vitest";
import { lies } from "../hostile/lies.ts";
import { tellLies } from "../hostile/tell-lies.ts";

it("a bot does what it must about every lie of a hostile venue", async () => {
  const { lines, failed, table, grownMiB, stallMs } = await tellLies(lies, {
    perProcess: 1,
    atOnce: 3,
  });
  process.stdout.write(
    `${lines.join("\n")}\n\n${table}\n\ngrown by ${grownMiB} MiB, longest stall ${stallMs} ms\n`,
  );
  expect(failed).toEqual([]);
  expect(grownMiB).toBeLessThan(300);
}, 1_800_000);
