import { expect, it, onTestFinished } from "vitest";
import { busyRun } from "../soak/busy-run.ts";
import { killsUnderLoad } from "../soak/real/kills.ts";
import { SoakVenue } from "../soak/real/stage.ts";

/**
 * The long tests of `npm run test:soak`, short, so that they do not rot, and without what other tests have: `guard.test.ts` has guards,
 * `blocked.test.ts` blocked strategies and a stopped process, `crash-cancels.test.ts` a full disk, `bad-days.test.ts` a lost network.
 */

it("a bot that is killed and started again forgets, doubles and miscounts nothing", async () => {
  const venue = new SoakVenue();
  onTestFinished(() => venue.close({ keepsFiles: false }));
  const result = await killsUnderLoad(venue, { count: 1, seed: 1, settleMs: 1_000 });
  expect(result.problems).toEqual([]);
  expect(result.strangers).toBe(0);
  expect(result.accepted).toBeGreaterThan(0);
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
