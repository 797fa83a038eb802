import { describe, expect, it } from "vitest";
import { Rehearsal, type Rehearsed } from "../../../src/runtime/rehearsal/rehearsal.ts";
import { silentLog } from "../../../src/ports/log.ts";
import { VirtualClock } from "../../../src/sim/virtual-clock.ts";

/** A rehearsal whose pieces take `pieceUs` on a clock that goes on while a piece runs. */
function rehearsalWorld(options: { readonly share?: number; readonly pieceUs?: number } = {}) {
  const { share = 0.2, pieceUs = 200 } = options;
  const time = new VirtualClock();
  const world = {
    time,
    busyUs: 0,
    isIdle: true,
    made: 0,
    pieces: [] as number[],
    warnings: [] as string[],
    step: (): boolean => world.pieces.length % 2 === 1,
  };
  const clock = { monotonicUs: () => time.monotonicUs() + world.busyUs };
  const make = (): Rehearsed => {
    world.made += 1;
    return {
      isWorn: false,
      step() {
        world.pieces.push(time.elapsedMs);
        world.busyUs += pieceUs;
        return world.step();
      },
    };
  };
  const log = { ...silentLog, warn: (_: object, text: string) => void world.warnings.push(text) };
  const isIdle = (): boolean => world.isIdle;
  const rehearsal = new Rehearsal({ clock, timer: time, log, share, isIdle, make });
  return Object.assign(world, { rehearsal, nowUs: () => clock.monotonicUs() });
}

const alive = { type: "stream", state: "alive", reason: "" } as const;

describe("rehearsals", () => {
  it("take no more than their share of a processor, however long a piece takes", async () => {
    for (const pieceUs of [50, 200, 5_000]) {
      const world = rehearsalWorld({ share: 0.1, pieceUs });
      world.rehearsal.start();
      await world.time.runFor(10_000);
      const share = world.rehearsal.times?.share ?? 0;
      expect(share).toBeGreaterThan(0);
      // One go more than there was credit for, and what could be caught up.
      expect(share).toBeLessThan(0.1 + (2 * pieceUs + 3_000) / 10_000_000);
    }
  });

  it("do nothing while something waits for the bot", async () => {
    const world = rehearsalWorld();
    world.isIdle = false;
    world.rehearsal.start();
    await world.time.runFor(1_000);
    expect(world.pieces).toEqual([]);
    world.isIdle = true;
    await world.time.runFor(100);
    expect(world.pieces.length).toBeGreaterThan(0);
  });

  it("break off between two pieces when something comes", async () => {
    const world = rehearsalWorld();
    world.step = () => {
      world.isIdle = false;
      return true;
    };
    world.rehearsal.start();
    await world.time.runFor(1_000);
    // Making the bot, which is a piece of its own, and the first piece of the first go.
    expect(world.pieces).toHaveLength(1);
  });

  it("leave a frame that is already there its turn before they begin", async () => {
    const world = rehearsalWorld();
    const push = world.rehearsal.countingFrames(() => {
      world.isIdle = false;
    });
    world.rehearsal.start();
    // Due in the same millisecond as the go, and scheduled after it.
    world.time.after(1, () => push(alive, world.nowUs()));
    await world.time.runFor(500);
    expect(world.pieces).toEqual([]);
  });

  it("are rare between the beats of a market and frequent before a beat", async () => {
    const world = rehearsalWorld();
    const push = world.rehearsal.countingFrames(() => undefined);
    world.rehearsal.start();
    for (let beat = 0; beat < 100; beat += 1) {
      await world.time.runFor(100);
      push(alive, world.nowUs());
    }
    world.pieces.length = 0;
    const startMs = world.time.elapsedMs;
    await world.time.runFor(99);
    const before = world.pieces.filter((atMs) => atMs - startMs >= 90);
    const between = world.pieces.filter((atMs) => atMs - startMs < 90);
    expect(before.length).toBeGreaterThan(1);
    expect(before.length / 9).toBeGreaterThan((2 * between.length) / 90);
  });

  it("do not run when frames come faster than they would", async () => {
    const world = rehearsalWorld();
    const push = world.rehearsal.countingFrames(() => undefined);
    world.rehearsal.start();
    for (let frame = 0; frame < 2_000; frame += 1) {
      push(alive, world.nowUs());
      await world.time.runFor(0.4);
    }
    expect(world.pieces).toEqual([]);
  });

  it("pass every input on with its time", () => {
    const world = rehearsalWorld();
    const passed: unknown[] = [];
    const push = world.rehearsal.countingFrames((...given) => passed.push(given));
    push(alive, 5);
    push(alive);
    expect(passed).toEqual([
      [alive, 5],
      [alive, undefined],
    ]);
  });

  it("end with one warning when a piece fails, and for good", async () => {
    const world = rehearsalWorld();
    world.step = () => {
      throw new Error("broken");
    };
    world.rehearsal.start();
    await world.time.runFor(1_000);
    expect(world.pieces).toHaveLength(1);
    expect(world.warnings).toEqual(["rehearsals ended: the order path runs cold"]);
  });

  it("stop when they are told to, also at the start", async () => {
    const world = rehearsalWorld();
    world.rehearsal.start();
    await world.time.runFor(100);
    world.rehearsal.stop();
    const { length } = world.pieces;
    expect(length).toBeGreaterThan(0);
    await world.time.runFor(1_000);
    expect(world.pieces).toHaveLength(length);
    await world.rehearsal.warmUp();
    expect(world.pieces).toHaveLength(length);
  });

  it("give way to other work between the pieces of the start", async () => {
    const world = rehearsalWorld();
    const order: string[] = [];
    world.step = () => {
      order.push("piece");
      return false;
    };
    const warm = world.rehearsal.warmUp();
    const other = (): void => {
      order.push("other");
      if (order.length < 20) world.time.soon(other);
    };
    world.time.soon(other);
    await world.time.runFor(1);
    await warm;
    expect(order.slice(0, 9).join(" ")).not.toContain("piece piece");
  });
});
