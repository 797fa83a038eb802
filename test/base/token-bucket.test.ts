import { describe, expect, it } from "vitest";
import { TokenBucket } from "../../src/base/token-bucket.ts";

const count = (bucket: TokenBucket, tries: number, nowMs: number): number =>
  Array.from({ length: tries }, () => bucket.take(nowMs)).filter(Boolean).length;

describe("a token bucket", () => {
  it("gives as many tokens at once as it holds, then the rate", () => {
    const bucket = new TokenBucket({ atOnce: 40, perSecond: 20 }, 1_000);
    expect(count(bucket, 100, 1_000)).toBe(40);
    expect(count(bucket, 100, 1_500)).toBe(10);
    expect(count(bucket, 100, 61_500)).toBe(40);
  });

  it("says when there is a token again", () => {
    const bucket = new TokenBucket({ atOnce: 1, perSecond: 0.25 }, 0);
    expect([bucket.waitSec, bucket.take(0), bucket.waitSec]).toEqual([0, true, 4]);
    expect([bucket.take(1_000), bucket.waitSec]).toEqual([false, 3]);
    expect(bucket.take(4_000)).toBe(true);
  });

  it("gives nothing for a clock that goes back", () => {
    const bucket = new TokenBucket({ atOnce: 1, perSecond: 1 }, 10_000);
    expect([bucket.take(10_000), bucket.take(0), bucket.take(500)]).toEqual([true, false, false]);
    expect(bucket.take(1_000)).toBe(true);
  });
});
