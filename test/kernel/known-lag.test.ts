import { expect, test } from "vitest";
import { KnownLag } from "../../src/kernel/channels/known-lag.ts";

test("the greatest lag is known until none like it has come for as long as the memory lasts", () => {
  const lag = new KnownLag(60_000);
  lag.note(3_000, 0);
  lag.note(0, 1_000);
  lag.opened();
  expect(lag.ms).toBe(3_000);
  lag.note(2_500, 50_000);
  lag.note(0, 100_000);
  expect(lag.ms).toBe(3_000);
  lag.note(10, 110_000);
  expect(lag.ms).toBe(10);
});

test("without a memory the newest lag is known, until a new subscription", () => {
  const lag = new KnownLag(0);
  lag.note(3_000, 0);
  lag.note(200, 0);
  expect(lag.ms).toBe(200);
  lag.opened();
  expect(lag.ms).toBe(0);
});
