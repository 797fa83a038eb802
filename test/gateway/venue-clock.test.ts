import { describe, expect, it } from "vitest";
import { VenueClock } from "../../src/gateway/venue-clock.ts";
import { time } from "../../src/spec/endpoints/time.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";

/** A clock whose venue answers with these offsets, one a query. */
function clockOf(...offsetsMs: readonly number[]) {
  const clock = new VirtualClock();
  const answers = [...offsetsMs];
  let tokens = 0;
  const venueClock = new VenueClock({
    clock,
    fetchTime: async () => ({ serverTime: clock.nowMs() + (answers.shift() ?? 0) }),
  });
  const read = () =>
    venueClock.read({
      waitForToken: async () => {
        tokens += 1;
      },
    });
  return { clock, venueClock, answers, read, tokens: () => tokens };
}

const HOUR_MS = 3_600_000;

describe("the venue's clock", () => {
  it("is believed at once within a minute of our own, and then within a second of the last reading", async () => {
    const { read, tokens } = clockOf(-59_000, -58_500);
    expect(await read()).toMatchObject({ offsetMs: -59_000 });
    expect(await read()).toMatchObject({ offsetMs: -58_500 });
    expect(tokens()).toBe(0);
  });

  it("is queried again, with a token for each query, when the first answer is far from our own", async () => {
    const { read, tokens, venueClock, clock } = clockOf(HOUR_MS, HOUR_MS + 10, HOUR_MS + 20);
    expect(await read()).toEqual(expect.not.objectContaining({ doubt: expect.anything() }));
    expect(tokens()).toBe(2);
    expect(venueClock.estimateMs() - clock.nowMs()).toBe(HOUR_MS + 20);
  });

  it.each([HOUR_MS, -HOUR_MS, 1_500])("does not move by %i ms for one answer", async (lie) => {
    const { read, venueClock, clock } = clockOf(5, lie, 6);
    await read();
    expect(await read()).toMatchObject({
      offsetMs: 6,
      doubt: expect.stringContaining(`differed from ours by ${lie} ms`),
    });
    expect(venueClock.estimateMs() - clock.nowMs()).toBe(6);
  });

  it.each([
    ["two answers agree that are near", [1_500, 1_500]],
    ["three agree that are far off", [HOUR_MS, HOUR_MS, HOUR_MS]],
    ["three of four agree", [HOUR_MS, -HOUR_MS, HOUR_MS, HOUR_MS]],
  ])("moves when %s", async (_, offsetsMs) => {
    const { read, venueClock, clock, answers } = clockOf(5, ...offsetsMs);
    await read();
    expect(await read()).toMatchObject({ offsetMs: offsetsMs[0] });
    expect(answers).toEqual([]);
    expect(venueClock.estimateMs() - clock.nowMs()).toBe(offsetsMs[0]);
  });

  it("stays when two answers that are far off agree and the third is as before", async () => {
    const { read, venueClock, clock } = clockOf(5, HOUR_MS, HOUR_MS, 6);
    await read();
    expect(await read()).toMatchObject({ offsetMs: 6, doubt: expect.stringContaining("3600000") });
    expect(venueClock.estimateMs() - clock.nowMs()).toBe(6);
  });

  it("stays when no two of four answers agree", async () => {
    const { read, venueClock, clock, answers } = clockOf(5, 1e6, 2e6, 3e6, 4e6);
    await read();
    await expect(read()).rejects.toMatchObject({ code: "VENUE_TIME_IN_DOUBT", outcome: "unknown" });
    expect(answers).toEqual([]);
    expect(venueClock.estimateMs() - clock.nowMs()).toBe(5);
  });

  it.each([0, -1, 1_700_000_000, 1e15, 1.7e15, 1_700_000_000_000.5, Number.NaN, "1700000000000"])(
    "cannot be %s",
    (serverTime) => {
      expect(time.result.safeParse({ serverTime }).success).toBe(false);
    },
  );

  it("can be any time of this and the next centuries", () => {
    for (const serverTime of [1_000_000_000_000, 1_700_000_000_000, 9_999_999_999_999]) {
      expect(time.result.safeParse({ serverTime }).success).toBe(true);
    }
  });
});
