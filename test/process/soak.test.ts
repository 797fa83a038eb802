import { expect, it, onTestFinished } from "vitest";
import { busyRun } from "../soak/busy-run.ts";
import { killsUnderLoad } from "../soak/real/kills.ts";
import { isFine, runTroubles } from "../soak/real/run-troubles.ts";
import { SoakVenue } from "../soak/real/stage.ts";

/**
 * The long tests of `npm run test:soak`, once each and short, so that they do not rot. Of the troubles only those that no other test of
 * processes has: `blocked.test.ts` has blocked strategies and a stopped process.
 */

it("a bot that is killed and started again forgets, doubles and miscounts nothing", async () => {
  const venue = new SoakVenue({ isGuarded: true });
  onTestFinished(() => venue.close({ keepsFiles: false }));
  const result = await killsUnderLoad(venue, { count: 1, seed: 1, settleMs: 1_000 });
  expect(result.problems).toEqual([]);
  expect(result.strangers).toBe(0);
  expect(result.accepted).toBeGreaterThan(0);
  expect(result.guardedKills).toBeGreaterThan(0);
});

it("a lost network and a full disk leave nothing at the venue", async () => {
  const venue = new SoakVenue();
  onTestFinished(() => venue.close({ keepsFiles: false }));
  const lastsMs = { "full disk": 0, "no network": 2_000 };
  const lines: string[] = [];
  const results = await runTroubles(venue, { count: 1, seed: 1, parallel: 2, lastsMs }, (line) =>
    lines.push(line),
  );
  expect(results.length, lines.join("\n")).toBeGreaterThanOrEqual(1);
  expect(results.filter((result) => !isFine(result))).toEqual([]);
});

it("a bot at many times the demo's rate trades, counts its frames and leaves nothing", async () => {
  const run = await busyRun({ markets: 2, speed: 20, sampleMs: 500, lastsMs: 2_000 });
  onTestFinished(() => run.remove());
  expect(run.exitCode).toBe(0);
  expect(run.summary).toMatchObject({ ordersLeft: 0, ordersRejected: 0 });
  // How many a second is what the long test judges.
  expect(run.rates.fills).toBeGreaterThan(0);
  expect(run.rates.frames).toBeGreaterThan(0);
  expect(run.samples.at(-1)).toMatchObject({ heapMb: expect.any(Number) });
});
