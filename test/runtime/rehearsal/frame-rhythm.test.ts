import { describe, expect, it } from "vitest";
import { Prng } from "../../../src/base/prng.ts";
import { FrameRhythm } from "../../../src/runtime/rehearsal/frame-rhythm.ts";

const MS = 1_000;

describe("the rhythm of frames", () => {
  it("expects every time before it has seen frames", () => {
    const rhythm = new FrameRhythm();
    expect(rhythm.isExpected(0)).toBe(true);
    rhythm.frame(0);
    expect([1, 50, 500].every((ms) => rhythm.isExpected(ms * MS))).toBe(true);
  });

  it("expects frames of a beat shortly before the beat and not in between", () => {
    const rhythm = new FrameRhythm();
    for (let beat = 0; beat < 100; beat += 1) rhythm.frame(beat * 100 * MS + (beat % 3) * MS);
    const { lastUs } = rhythm;
    const expected = (ms: number): boolean => rhythm.isExpected(lastUs + ms * MS);
    expect([5, 20, 50, 90].some(expected)).toBe(false);
    expect([97.5, 98.5, 99.5, 100.5].every(expected)).toBe(true);
  });

  it("follows a market whose beat changes", () => {
    const rhythm = new FrameRhythm();
    let nowUs = 0;
    for (const [frames, gapMs] of [
      [2_000, 100],
      [4_000, 40],
    ] as const) {
      for (let frame = 0; frame < frames; frame += 1) rhythm.frame((nowUs += gapMs * MS));
    }
    expect(rhythm.isExpected(nowUs + 39.5 * MS)).toBe(true);
    expect(rhythm.isExpected(nowUs + 20 * MS)).toBe(false);
  });

  it("expects frames most of the time where they come at random", () => {
    const rhythm = new FrameRhythm();
    const random = new Prng(5);
    let nowUs = 0;
    for (let frame = 0; frame < 5_000; frame += 1) {
      rhythm.frame((nowUs += random.exponential(20) * MS));
    }
    const times = Array.from({ length: 40 }, (_, ms) => rhythm.isExpected(nowUs + ms * MS));
    expect(times.filter(Boolean).length).toBeGreaterThan(30);
  });
});
