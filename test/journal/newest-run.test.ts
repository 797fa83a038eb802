import { expect, it, vi } from "vitest";
import { listRuns, newestRun } from "../../src/journal/segments.ts";
import { liveWorld, stopped } from "../runtime/live-world.ts";

it("the newest run is found without reading the segments of earlier runs", async () => {
  const world = await liveWorld(71);
  expect(newestRun(world.store, "journal")).toBeUndefined();
  for (let run = 0; run < 3; run += 1) {
    const bot = await world.start();
    await world.clock.runFor(2_000);
    await stopped(world, bot);
  }
  const runs = listRuns(world.store, "journal");
  expect(runs).toHaveLength(3);
  const read = vi.spyOn(world.store, "read");
  expect(newestRun(world.store, "journal")).toEqual(runs[2]);
  const own = runs[2]?.segments ?? [];
  const last = (runs[1]?.segments ?? []).slice(-1);
  expect(read.mock.calls.map(([path]) => path).sort()).toEqual(
    [...own, ...last].map(({ path }) => path).sort(),
  );
});
