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

/** A book in sync, whose channels are silent from then on. */
function synced(): PublicDepth {
  const depth = new PublicDepth(marketId);
  depth.sync.onStream("opened");
  depth.asked(start);
  depth.read(book(100, 5), start);
  return depth;
}

test("a silent book is read over REST after half of its limit, and stays current while it is", () => {
  const depth = synced();
  expect(depth.isReadDue(start + 4_999)).toBe(false);
  expect(depth.isReadDue(start + 5_000)).toBe(true);
  depth.asked(start + 5_000);
  depth.read(book(100, 5), start + 5_020);
  depth.book.settle(start + 5_020);
  expect(depth.isCurrent(start + 15_000)).toBe(true);
  expect(depth.isCurrent(start + 15_001)).toBe(false);
  expect(depth.heal(start + 15_001)).toBeUndefined();
});

test("a channel that lacks what REST shows twice in a row is to be subscribed to anew", () => {
  const depth = synced();
  depth.asked(start + 5_000);
  depth.read(book(103, 6), start + 5_020);
  expect(depth.book.replace(start + 5_900)).toBe(false);
  expect(depth.book.replace(start + 6_020)).toBe(true);
  expect(depth.heal(start + 6_020)).toBeUndefined();
  depth.asked(start + 8_000);
  depth.read(book(106, 7), start + 8_020);
  expect(depth.sync.lastId).toBe(106);
  expect(depth.heal(start + 8_020)).toBe("resubscribe");
});
