import { describe, expect, it } from "vitest";
import { BoundedQueue } from "../../src/base/bounded-queue.ts";

describe("BoundedQueue", () => {
  it("keeps order when it wraps, refuses items when full and counts them", () => {
    const queue = new BoundedQueue<number>(3);
    for (const item of [1, 2, 3, 4]) queue.push(item);
    expect(queue.dropped).toBe(1);
    expect(queue.shift()).toBe(1);
    expect(queue.push(5)).toBe(true);
    const left = Array.from({ length: queue.size }, () => queue.shift());
    expect(left).toEqual([2, 3, 5]);
    expect(queue.shift()).toBeUndefined();
  });
});
