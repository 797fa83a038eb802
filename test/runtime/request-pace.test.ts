import { describe, expect, it } from "vitest";
import { RequestPace } from "../../src/runtime/request-pace.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";

describe("the requests of a process outside the kernel", () => {
  it("wait in turn for tokens, which return at the configured rate", async () => {
    const clock = new VirtualClock();
    const pace = new RequestPace({ perSecond: 5, burst: 3 }, { clock, timer: clock });
    const leftMs: [number, number][] = [];
    for (let request = 0; request < 6; request += 1) {
      void pace.waitForToken().then(() => leftMs.push([request, clock.elapsedMs]));
    }
    await clock.runFor(2_000);
    expect(leftMs).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 200],
      [4, 400],
      [5, 600],
    ]);
  });

  it("tell when their budget is full again", async () => {
    const clock = new VirtualClock();
    const pace = new RequestPace({ perSecond: 5, burst: 3 }, { clock, timer: clock });
    for (let request = 0; request < 4; request += 1) void pace.waitForToken();
    await clock.runFor(200);
    const fullMs = pace.refilled().then(() => clock.elapsedMs);
    await clock.runFor(2_000);
    // The fourth request left after 200 ms, with an empty budget.
    expect(await fullMs).toBe(800);
    expect(pace.left.spent).toBe(0);
    await pace.refilled();
  });

  it("hand on what they have used", async () => {
    const clock = new VirtualClock();
    const limit = { perSecond: 5, burst: 3 };
    const pace = new RequestPace(limit, { clock, timer: clock });
    await pace.waitForToken();
    expect(pace.left).toEqual({ ...limit, spent: 1 });
    const next = new RequestPace(pace.left, { clock, timer: clock });
    for (let request = 0; request < 3; request += 1) void next.waitForToken();
    await clock.runFor(0);
    expect(next.left.spent).toBe(3);
    await clock.runFor(1_000);
    expect(next.left.spent).toBe(0);
  });
});
