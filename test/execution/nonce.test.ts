import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NONCE_AHEAD_MAX_MS, NonceAllocator } from "../../src/execution/nonce.ts";

const now = 1_700_000_000_000;

describe("time nonces", () => {
  it("are the venue's time, or one more than the last", () => {
    const nonces = new NonceAllocator();
    expect([nonces.next(now, 250), nonces.next(now, 250)]).toEqual([now + 250, now + 251]);
    expect(nonces.next(now + 5_000, 250)).toBe(now + 5_250);
  });

  it("begin above the highest nonce of an earlier run that lies within the window", () => {
    const nonces = new NonceAllocator();
    nonces.observe(now + 20_000);
    expect(nonces.next(now, 0)).toBe(now + 20_001);
  });

  it("begin at the venue's time when the highest nonce lies beyond the window", () => {
    const nonces = new NonceAllocator();
    nonces.observe(now + 90_000);
    expect([nonces.next(now, 0), nonces.next(now, 0)]).toEqual([now, now + 1]);
    expect(nonces.highWater).toBe(now + 90_000);
  });

  it("follow a venue's clock that was set back", () => {
    const nonces = new NonceAllocator();
    nonces.next(now, 0);
    expect(nonces.next(now, -10_000)).toBe(now + 1);
    expect([nonces.next(now, -120_000), nonces.next(now, -120_000)]).toEqual([
      now - 120_000,
      now - 119_999,
    ]);
  });

  it("begin later for a process that writes no journal", () => {
    expect(new NonceAllocator({ spreadMs: 7_000 }).next(now, 0)).toBe(now + 7_000);
  });

  it("are always within the bound of the venue's clock, and rise unless that was set back beyond it", () => {
    const steps = fc.array(
      fc.record({
        byMs: fc.integer({ min: 0, max: 50 }),
        setMs: fc.integer({ min: -90_000, max: 90_000 }),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (drawn) => {
        const nonces = new NonceAllocator();
        let nowMs = now;
        let last = 0;
        for (const { byMs, setMs } of drawn) {
          nowMs += byMs;
          const nonce = nonces.next(nowMs, setMs);
          const venueMs = nowMs + setMs;
          expect(nonce).toBeGreaterThanOrEqual(venueMs);
          expect(nonce).toBeLessThanOrEqual(venueMs + NONCE_AHEAD_MAX_MS);
          if (last + 1 - venueMs <= NONCE_AHEAD_MAX_MS) expect(nonce).toBeGreaterThan(last);
          last = nonce;
        }
      }),
    );
  });
});
