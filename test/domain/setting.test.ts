import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  amount,
  duration,
  durationText,
  parseDurationMs,
  parseShare,
  percentText,
  price,
  share,
} from "../../src/domain/setting.ts";

function said(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value);
  return result.success ? "fine" : result.error.issues.map((issue) => issue.message).join("; ");
}

describe("durations", () => {
  test.each([
    ["500ms", 500],
    ["20s", 20_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1.5s", 1500],
    ["0s", 0],
  ])("%s is %d ms", (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
    expect(duration().parse(text)).toBe(durationMs);
  });

  test.each(["", "5", "5 s", "-5s", "5sec", "1h30m", "s", "٥s", "1e3s", "9999999999s"])(
    "%j is none",
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
      expect(said(duration(), text)).toBe("is not a duration, write 500ms, 20s, 5m or 2h");
    },
  );

  test("limits are named in the same form", () => {
    const schema = duration({ min: 1000, max: 90_000 });
    expect(said(schema, "999ms")).toBe("is too short, at least 1s");
    expect(said(schema, "2m")).toBe("is too long, at most 1.5m");
    expect(said(schema, "1s")).toBe("fine");
    expect(said(schema, 20)).toBe("is not a duration, write 500ms, 20s, 5m or 2h");
  });

  test("text and back is the same length of time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400_000 }), (durationMs) => {
        expect(parseDurationMs(durationText(durationMs))).toBeCloseTo(durationMs, 6);
      }),
    );
  });
});

describe("shares", () => {
  test.each([
    ["0.1%", 0.001],
    ["0.07%", 0.0007],
    ["0.001", 0.001],
    ["100%", 1],
    ["-1%", -0.01],
  ])("%s is %d", (text, value) => {
    expect(parseShare(text)).toBe(value);
  });

  test("a percentage is the double nearest to it, never one off by arithmetic", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (hundredths) => {
        const text = `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}%`;
        expect(parseShare(text)).toBe(Number(`${hundredths}e-4`));
      }),
    );
  });

  test("a value beyond the limits, or in another notation, is refused with the remedy", () => {
    const schema = share({ max: 0.5 });
    expect(said(schema, "51%")).toBe("is too large, at most 50%");
    expect(said(schema, -0.1)).toBe("is too small, at least 0%");
    expect(said(schema, 1e-7)).toBe("fine");
    expect(said(schema, "0,1%")).toBe("is not a share, write 0.1% or 0.001");
    expect(said(schema, "1 %")).toBe("is not a share, write 0.1% or 0.001");
    expect(percentText(0.0007)).toBe("0.07%");
  });
});

describe("amounts and prices", () => {
  test.each(["0.5", 0.5, "1", "0.000000000000000001", 1e-7])("%j is one", (written) => {
    expect(said(amount(), written)).toBe("fine");
  });

  test.each(["", "1e3", "-1", ".5", "1.", "0x10", "1,5", "0.0000000000000000001", Number.NaN])(
    "%j is none",
    (written) => {
      expect(said(amount(), written)).not.toBe("fine");
    },
  );

  test("zero only where it is wanted", () => {
    expect(said(amount(), "0.00")).toBe("must be above 0");
    expect(said(amount({ zero: true }), "0")).toBe("fine");
    expect(price().parse("1834.5")).toBe(1834.5);
  });

  test("what is negative or too long is called so", () => {
    expect(said(amount(), "-0.5")).toBe("must not be negative");
    expect(said(amount({ zero: true }), -1)).toBe("must not be negative");
    const tooLong = "has too many digits, at most 30 before the decimal point and 18 after it";
    expect(said(amount(), "0.0000000000000000001")).toBe(tooLong);
    expect(said(amount(), 1e45)).toBe(tooLong);
  });

  test("every digit is kept", () => {
    expect(amount().parse("123456789012345678.123456789012345678").toFixed()).toBe(
      "123456789012345678.123456789012345678",
    );
  });
});
