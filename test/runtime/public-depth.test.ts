import { expect, test } from "vitest";
import type { BookSnapshot } from "../../src/domain/depth.ts";
import { unixMs } from "../../src/domain/time.ts";
import { PublicDepth } from "../../src/runtime/public-depth.ts";
import { market } from "../kernel/harness.ts";

const { marketId } = market;
const start = 1_767_225_600_000;

function book(lastId: number, quantity: number): BookSnapshot {
  const bids = Float64Array.of(1999, quantity);
  const asks = Float64Array.of(2001, 5);
  return { marketId, lastId, timeMs: unixMs(start), bids, asks };
}

test("all public data of a market that stop are noticed by the book over REST, a quiet market is not", () => {
  for (const isQuiet of [true, false]) {
    const depth = new PublicDepth(marketId);
    depth.sync.onStream("opened");
    depth.sync.onSnapshot(book(100, 5));
    expect(depth.judge(start)).toBe("none");
    expect(depth.judge(start + 9_999)).toBe("none");
    expect(depth.judge(start + 10_000)).toBe("book");
    depth.book(isQuiet ? book(100, 5) : book(103, 6), start + 10_020);
    depth.judge(start + 11_020);
    expect(depth.isBehind).toBe(!isQuiet);
  }
});
