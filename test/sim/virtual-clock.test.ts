import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";

describe("virtual clock", () => {
  it("runs events by time, and in the order of scheduling at equal times", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 40 }),
        async (plan) => {
          const clock = new VirtualClock(1000);
          const ran: number[] = [];
          const handles = plan.map(([delayMs], index) =>
            clock.after(delayMs, () => ran.push(index)),
          );
          for (const [index, [, canceled]] of plan.entries())
            if (canceled) handles[index]?.cancel();
          await clock.runFor(20);
          const expected = plan
            .map(([delayMs, canceled], index) => ({ delayMs, canceled, index }))
            .filter(({ canceled }) => !canceled)
            .sort((left, right) => left.delayMs - right.delayMs || left.index - right.index)
            .map(({ index }) => index);
          expect(ran).toEqual(expected);
          expect(clock.nowMs()).toBe(1020);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("lets every promise continue before the next event", async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    clock.after(1, () => {
      void (async () => {
        for (let round = 0; round < 20; round += 1) await Promise.resolve();
        log.push("promise");
      })();
    });
    clock.after(1, () => log.push("next"));
    await clock.runFor(2);
    expect(log).toEqual(["promise", "next"]);
  });

  it("stops at a condition, or at the limit", async () => {
    const clock = new VirtualClock();
    let ticks = 0;
    const tick = (): void => {
      ticks += 1;
      clock.after(10, tick);
    };
    clock.after(10, tick);
    expect(await clock.runUntil(() => ticks === 5, 1000)).toBe(true);
    expect(clock.elapsedMs).toBe(50);
    expect(await clock.runUntil(() => false, 25)).toBe(false);
    expect(clock.elapsedMs).toBe(75);
  });
});
