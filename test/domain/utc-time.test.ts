import { expect, test } from "vitest";
import { utcUs } from "../../src/domain/utc-time.ts";

test("a date is read as the calendar has it, in UTC or in its zone", () => {
  for (let ms = Date.UTC(1890, 0, 1); ms < Date.UTC(2110, 0, 1); ms += 86_412_345_000 / 24) {
    const whole = Math.floor(ms);
    expect(utcUs(new Date(whole).toISOString())).toBe(whole * 1_000);
  }
  expect(utcUs("20240229")).toBe(Date.UTC(2024, 1, 29) * 1_000);
  expect(utcUs("2024-02-29 10:00:00.5+02:00")).toBe(Date.UTC(2024, 1, 29, 8) * 1_000 + 500_000);
});

test.each(["2023-02-29", "2100-02-29", "2024-13-01", "2024-01-00", "2024-01-01 24:00", "2024"])(
  "%s is no time",
  (text) => expect(utcUs(text)).toBeUndefined(),
);
