import { expect, it, onTestFinished } from "vitest";
import { isFine, runTroubles, troubleTable } from "./real/run-troubles.ts";
import { SoakVenue } from "./real/stage.ts";
import type { TroubleName } from "./real/troubles.ts";

const count = Number(process.env["SOAK_COUNT"] ?? "20");
const only = process.env["SOAK_TROUBLES"]?.split(",");

/** How long each trouble lasts, ms. */
const lastsMs: Readonly<Record<TroubleName, number>> = {
  "blocked strategy": 0,
  "full disk": 0,
  "stop without network": 60_000,
  "stopped process": 30_000,
  "no network": 60_000,
};

it(`${count} times each: a blocked strategy, a stopped process, no network, a full disk leave nothing at the venue`, async () => {
  const venue = new SoakVenue({ isGuarded: process.env["SOAK_GUARD"] !== "0" });
  onTestFinished(({ task }) => venue.close({ keepsFiles: task.result?.state !== "pass" }));
  const results = await runTroubles(
    venue,
    {
      count,
      seed: Number(process.env["SOAK_SEED"] ?? "1"),
      parallel: Number(process.env["SOAK_PARALLEL"] ?? "4"),
      lastsMs: Object.fromEntries(
        Object.entries(lastsMs).filter(([name]) => only === undefined || only.includes(name)),
      ),
    },
    (line) => process.stdout.write(`${line}\n`),
  );
  process.stdout.write(troubleTable(results));
  expect(results.filter((result) => !isFine(result))).toEqual([]);
}, 7_200_000);
