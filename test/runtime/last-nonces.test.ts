import { expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import { LastNonces } from "../../src/runtime/last-nonces.ts";
import { idOf } from "../journal/journal-fixture.ts";

const orderId = idOf(1);

test("a nonce of one clock is not given again when a clock that is behind comes to it", () => {
  let nowMs = 1_700_000_000_000;
  const clock = { nowMs: () => unixMs(nowMs), monotonicUs: () => nowMs * 1000 };
  // The venue's clock was last read 8 s ahead of ours.
  const nonces = new LastNonces(clock, nowMs, [8_000], [orderId]);
  const given = [nonces.next(orderId), nonces.next(orderId), nonces.next(orderId)];
  nowMs += 8_000;
  nonces.refused();
  nonces.refused();
  given.push(nonces.next(orderId), nonces.next(orderId));
  expect(new Set(given).size).toBe(given.length);
  expect(given.slice(3)).toEqual([nowMs + 3, nowMs + 4]);
});
