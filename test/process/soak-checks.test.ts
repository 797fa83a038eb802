import { expect, it } from "vitest";
import { mbPerHour, secondHalf } from "../soak/growth.ts";
import { doubled, type TappedCommand } from "../soak/real/command-tap.ts";
import { isFine } from "../soak/real/run-troubles.ts";
import { changeBy, sum } from "../soak/real/venue-observer.ts";

/** What the long tests judge by must be able to convict. */

function tapped(nonce: number, bytes: string): TappedCommand {
  const path = "/api/v1/order";
  return { atMs: 0, path, txHash: bytes, nonce, bytes, endsOrder: undefined, status: 200 };
}

it("a nonce of two commands and a command that was sent twice are found", () => {
  expect(doubled([tapped(1, "a"), tapped(2, "b"), tapped(3, "c")])).toEqual([]);
  expect(doubled([tapped(1, "a"), tapped(2, "b"), tapped(1, "c")])).toEqual([
    "nonce 1 signs two commands",
  ]);
  expect(doubled([tapped(1, "a"), tapped(1, "a")], true)).toEqual([
    "/api/v1/order with nonce 1 was sent twice",
  ]);
  const cancel = { ...tapped(2, "b"), path: "/api/v1/order/cancel" };
  expect(doubled([cancel, cancel])).toHaveLength(1);
  expect(doubled([cancel, cancel], true)).toEqual([]);
  expect(doubled([cancel, { ...cancel, bytes: "c" }], true)).toHaveLength(1);
});

it("executions change an account by price, quantity and fee, exactly", () => {
  const trade = { id: 1, orderId: "0x1", createdAt: 0 };
  const change = changeBy([
    { ...trade, side: "BUY", price: "2000.1", quantity: "0.3", fee: "0.00006", feeTokenId: "1" },
    { ...trade, side: "SELL", price: "2001", quantity: "0.1", fee: "0.04", feeTokenId: "2" },
  ]);
  expect(change).toEqual({ base: "0.19994", quote: "-399.97" });
  expect(sum({ base: "1", quote: "1000" }, change)).toEqual({ base: "1.19994", quote: "600.03" });
});

it("a case with an order left, another exit code or no end is not as documented", () => {
  const fine = {
    trouble: "full disk",
    variant: "tmpfs",
    open: 4,
    left: 0,
    exitCode: 1,
    expectedExitCode: 1,
    untilNoneMs: 300,
    untilOldGoneMs: undefined,
    problems: [],
  } as const;
  expect(isFine(fine)).toBe(true);
  expect(isFine({ ...fine, left: 1 })).toBe(false);
  expect(isFine({ ...fine, exitCode: 0 })).toBe(false);
  expect(isFine({ ...fine, untilNoneMs: undefined })).toBe(false);
  expect(isFine({ ...fine, problems: ["it did not quote again"] })).toBe(false);
});

it("a slope is that of the least-squares line, and the second half leaves the filling of caches out", () => {
  const samples = [1, 2, 3, 4].map((hours) => ({
    hours,
    heapMb: 10 + 2 * hours,
    rssMb: hours < 2 ? 0 : 100,
    journalMb: 0,
  }));
  expect(mbPerHour(samples, "heapMb")).toBeCloseTo(2, 10);
  expect(mbPerHour(secondHalf(samples), "rssMb")).toBeCloseTo(0, 10);
  expect(mbPerHour(samples, "rssMb")).toBeGreaterThan(20);
});
