import { describe, expect, test } from "vitest";
import { DelayLine } from "../../src/simulated/delay-line.ts";

describe("DelayLine", () => {
  test("delivers items in order, and not before their delay", () => {
    const line = new DelayLine<string>();
    expect(line.nextMs).toBe(Number.POSITIVE_INFINITY);
    line.send("a", 100, 10);
    line.send("b", 100, 10);
    line.send("c", 105, 10);
    expect(line.nextMs).toBe(110);
    expect(line.receive(109)).toBeUndefined();
    expect([line.receive(110), line.receive(110), line.receive(110)]).toEqual([
      "a",
      "b",
      undefined,
    ]);
    expect(line.nextMs).toBe(115);
    expect(line.receive(200)).toBe("c");
    expect(line.nextMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("loses no item when many are in transit for a long time", () => {
    const line = new DelayLine<number>();
    const seen: number[] = [];
    for (let nowMs = 0; nowMs < 5_000; nowMs += 1) {
      line.send(nowMs, nowMs, 50);
      for (let item = line.receive(nowMs); item !== undefined; item = line.receive(nowMs)) {
        seen.push(item);
        expect(item).toBe(nowMs - 50);
      }
    }
    expect(seen).toEqual(Array.from({ length: 4_950 }, (_, at) => at));
  });
});
