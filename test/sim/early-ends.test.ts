import { beforeEach, describe, expect, it } from "vitest";
import { EarlyEnds } from "../../src/sim/early-ends.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";

let time: VirtualClock;
let ends: EarlyEnds;
/** When `end` was called, in ms. */
let ended: number[];
beforeEach(() => {
  time = new VirtualClock();
  ends = new EarlyEnds(time);
  ended = [];
  ends.processStarts();
});

const end = (): void => {
  ended.push(time.elapsedMs);
};
const after = (requests: number, afterMs: number) => () => ({ requests, afterMs });

describe("an end while a process starts", () => {
  it("comes once the process has sent its requests and a time has passed", async () => {
    ends.arm(after(2, 30), end);
    ends.requested(false);
    await time.runFor(100);
    ends.requested(false);
    await time.runFor(100);
    expect(ended).toEqual([130]);
  });

  it("counts the requests of a process that is starting already from now on", async () => {
    ends.requested(false);
    ends.arm(after(1, 0), end);
    await time.runFor(10);
    expect(ended).toEqual([]);
    ends.requested(false);
    await time.runFor(10);
    expect(ended).toEqual([10]);
  });

  it("does not come to a process that has ordered, also when it was due before", async () => {
    ends.arm(after(0, 30), end);
    ends.requested(true);
    await time.runFor(100);
    expect([ends.hasOrdered, ended]).toEqual([true, []]);
  });

  it("comes to each process at a moment of its own", async () => {
    const moments = [0, 20, 50].map((ms) => ({ requests: 0, afterMs: ms }));
    ends.arm(() => moments.shift() ?? { requests: 9, afterMs: 0 }, end);
    await time.runFor(10);
    ends.processStarts();
    // The process before the newest one is gone.
    await time.runFor(10);
    ends.processStarts();
    await time.runFor(100);
    expect(ended).toEqual([0, 70]);
  });

  it("does not come once it is disarmed", async () => {
    const disarm = ends.arm(after(0, 30), end);
    disarm();
    await time.runFor(100);
    ends.processStarts();
    await time.runFor(100);
    expect(ended).toEqual([]);
  });
});
