import { describe, expect, it } from "vitest";
import { TransportError } from "../../src/base/error.ts";
import { unixMs } from "../../src/domain/time.ts";
import { ReadTimeout } from "../../src/gateway/read-timeout.ts";

const lost = Number.POSITIVE_INFINITY;

/** Reads of a venue one after the other, and how long each took until its response or its time-out. */
function reader() {
  let nowMs = 0;
  const readTimeout = new ReadTimeout({
    nowMs: () => unixMs(nowMs),
    monotonicUs: () => nowMs * 1000,
  });
  return async (responseMs: number): Promise<string> => {
    const sentMs = nowMs;
    const outcome = await readTimeout
      .read(async (timeoutMs) => {
        nowMs += Math.min(responseMs, timeoutMs);
        if (responseMs > timeoutMs) throw new TransportError("unknown", "HTTP_TIMEOUT", "Late.");
      })
      .then(
        () => "read",
        () => "timed out",
      );
    return `${outcome} after ${nowMs - sentMs} ms`;
  };
}

describe("a read", () => {
  it("whose request is lost times out soon at a venue that responds quickly", async () => {
    const read = reader();
    for (let at = 0; at < 8; at += 1) await read(50);
    for (let at = 0; at < 7; at += 1) expect(await read(lost)).toBe("timed out after 1500 ms");
    expect(await read(50)).toBe("read after 50 ms");
    expect(await read(lost)).toBe("timed out after 1500 ms");
  });

  it("gets the time that a slow venue needs, from the first one on", async () => {
    const read = reader();
    for (let at = 0; at < 20; at += 1) expect(await read(3_000)).toBe("read after 3000 ms");
    expect(await read(lost)).toBe("timed out after 5000 ms");
  });

  it("succeeds again soon after a quick venue has become slow, and is quick to time out once it is quick again", async () => {
    const read = reader();
    for (let at = 0; at < 8; at += 1) await read(50);
    const outcomes: string[] = [];
    for (let at = 0; at < 12; at += 1) outcomes.push(await read(3_000));
    expect(outcomes.slice(7)).toEqual(outcomes.slice(7).fill("read after 3000 ms"));
    for (let at = 0; at < 8; at += 1) await read(50);
    expect(await read(lost)).toBe("timed out after 1500 ms");
  });
});
