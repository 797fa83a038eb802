import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NonceAllocator } from "../../src/execution/nonce.ts";

const now = 1_760_000_000_000;

describe("nonces", () => {
  it("are the venue's time in milliseconds, one more where that is taken", () => {
    const nonces = new NonceAllocator();
    expect(nonces.tryNext(now, 250)).toBe(now + 250);
    expect(nonces.tryNext(now, 250)).toBe(now + 251);
    expect(nonces.tryNext(now + 5000, 250)).toBe(now + 5250);
    expect(nonces.highWater).toBe(now + 5250);
  });

  it("are whole with an offset that is not", () => {
    expect(new NonceAllocator().tryNext(now, -0.4)).toBe(now - 1);
  });

  it("go on above what an earlier run used", () => {
    const nonces = new NonceAllocator();
    nonces.observe(now + 20);
    nonces.observe(now + 10);
    expect(nonces.tryNext(now, 0)).toBe(now + 21);
  });

  it("never run more than 30 s ahead of the venue, and say when they go on", () => {
    const nonces = new NonceAllocator();
    nonces.observe(now + 29_999);
    expect(nonces.tryNext(now, 0)).toBe(now + 30_000);
    expect(nonces.tryNext(now, 0)).toBeUndefined();
    expect(nonces.highWater).toBe(now + 30_000);
    expect(nonces.nextFreeMs(now, 0)).toBe(now + 1);
    expect(nonces.tryNext(now + 1, 0)).toBe(now + 30_001);
    expect(nonces.nextFreeMs(now + 500, 0)).toBe(now + 500);
  });

  it("that must not wait are free ones near a clock that was set back", () => {
    const nonces = new NonceAllocator();
    for (const at of [0, 1, 2, 300_000]) nonces.tryNext(now + at, 0);
    const back = now + 1;
    expect(nonces.tryNext(back, 0)).toBeUndefined();
    expect(nonces.nextFreeMs(back, 0)).toBe(now + 270_001);
    expect(nonces.nextFreeMs(back, 0, "unused")).toBe(back);
    // Two of them were used before it was set back.
    expect(nonces.tryNext(back, 0, "unused")).toBe(now + 3);
    expect(nonces.tryNext(back, 0, "unused")).toBe(now + 4);
    expect(nonces.highWater).toBe(now + 300_000);
    // It passes the one that was given last time.
    expect(nonces.tryNext(now + 4, 0, "unused")).toBe(now + 5);
    expect(nonces.tryNext(now + 300_000, 0, "unused")).toBe(now + 300_001);
  });

  it("near a clock far behind an earlier run's highest are taken as unused, except those known to be used", () => {
    const restarted = new NonceAllocator();
    restarted.observe(now + 3_600_000);
    restarted.observeUsed(now);
    restarted.observeUsed(now + 2);
    expect(restarted.nextFreeMs(now, 0, "unused")).toBe(now);
    expect(restarted.tryNext(now, 0, "unused")).toBe(now + 1);
    expect(restarted.tryNext(now, 0, "unused")).toBe(now + 3);
    expect(restarted.highWater).toBe(now + 3_600_000);
    expect(restarted.tryNext(now + 3_600_000, 0, "unused")).toBe(now + 3_600_001);
  });

  it("that this run used and forgot are never taken as unused", () => {
    const small = new NonceAllocator({ remembered: 2 });
    for (const at of [0, 10, 20, 100_000]) small.tryNext(now + at, 0);
    expect(small.tryNext(now + 5, 0, "unused")).toBe(now + 11);
  });

  it("that the venue refused as too far ahead count as used and hold nothing up: their bytes may still be accepted later", () => {
    const nonces = new NonceAllocator();
    const refused = nonces.tryNext(now, 3_600_000);
    expect(refused).toBe(now + 3_600_000);
    // The next commands take nonces near the right clock, though the highest is an hour ahead.
    expect(nonces.tryNext(now + 1_000, 0, "unused")).toBe(now + 1_000);
    expect(nonces.tryNext(now + 1_000, 0, "unused")).toBe(now + 1_001);
    expect(nonces.nextFreeMs(now + 1_000, 0, "unused")).toBe(now + 1_000);
    // An hour later the refused bytes are in the venue's window; no other command has their nonce.
    expect(nonces.tryNext(now + 3_600_000, 0, "unused")).toBe(now + 3_600_001);
  });

  it("refuse a clock that does not read like a time", () => {
    expect(() => new NonceAllocator().tryNext(5, 0)).toThrow("reads like a time");
    expect(() => new NonceAllocator().observe(1.5)).toThrow("whole number");
  });

  it("never repeat and stay within the venue's window, free ones too", () => {
    const steps = fc.array(
      fc.record({
        moveMs: fc.integer({ min: -100_000, max: 100_000 }),
        order: fc.constantFrom("rising" as const, "unused" as const),
        burst: fc.integer({ min: 1, max: 20 }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, (drawn) => {
        const nonces = new NonceAllocator({ aheadMaxMs: 1000, remembered: 50 });
        const seen = new Set<number>();
        let nowMs = now;
        for (const { moveMs, order, burst } of drawn) {
          nowMs += moveMs;
          for (let time = 0; time < burst; time += 1) {
            const freeMs = nonces.nextFreeMs(nowMs, 0, order);
            const nonce = nonces.tryNext(nowMs, 0, order);
            expect(nonce === undefined).toBe(freeMs > nowMs);
            if (nonce === undefined) continue;
            expect(seen.has(nonce)).toBe(false);
            seen.add(nonce);
            expect(nonce).toBeGreaterThanOrEqual(nowMs);
            expect(nonce).toBeLessThanOrEqual(nowMs + 1000);
          }
        }
      }),
    );
  });

  it("rise strictly and stay within the venue's window, whatever the clocks do", () => {
    const steps = fc.array(
      fc.record({
        waitMs: fc.oneof(
          fc.integer({ min: 0, max: 50 }),
          fc.integer({ min: -100_000, max: 100_000 }),
        ),
        offsetMs: fc.oneof(fc.constant(0), fc.integer({ min: -70_000, max: 70_000 })),
        burst: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, (drawn) => {
        const nonces = new NonceAllocator({ aheadMaxMs: 1000 });
        let nowMs = now;
        let last = 0;
        for (const { waitMs, offsetMs, burst } of drawn) {
          nowMs += waitMs;
          for (let time = 0; time < burst; time += 1) {
            const nonce = nonces.tryNext(nowMs, offsetMs);
            const freeMs = nonces.nextFreeMs(nowMs, offsetMs);
            if (nonce === undefined) {
              expect(freeMs).toBeGreaterThan(nowMs);
              expect(nonces.highWater).toBe(last);
              continue;
            }
            expect(nonce).toBeGreaterThan(last);
            expect(nonce).toBeGreaterThanOrEqual(nowMs + offsetMs);
            expect(nonce).toBeLessThanOrEqual(nowMs + offsetMs + 1000);
            last = nonce;
          }
          const freeMs = nonces.nextFreeMs(nowMs, offsetMs);
          if (freeMs > nowMs) expect(nonces.tryNext(freeMs - 1, offsetMs)).toBeUndefined();
          last = nonces.tryNext(freeMs, offsetMs) ?? Number.NaN;
        }
      }),
    );
  });
});
