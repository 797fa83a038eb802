import { afterEach, expect, test, vi } from "vitest";
import { expiryOption } from "../../src/cli/expiry.ts";
import { pastTimeOption, timeOption } from "../../src/cli/option.ts";

afterEach(() => vi.unstubAllEnvs());

const noon = Date.UTC(2026, 0, 31, 12);

test.each(["UTC", "America/New_York"])(
  "times on the command line are UTC, on a machine in %s",
  (zone) => {
    vi.stubEnv("TZ", zone);
    const time = timeOption("--from <time>", "");
    for (const written of [
      "2026-01-31T12:00",
      "2026-01-31 12:00",
      "2026-01-31 12:00:00.000",
      "2026-01-31T12:00:00Z",
      "2026-01-31 12:00 UTC",
      "2026-01-31t12:00z",
      "2026-01-31T14:00+02:00",
      "2026-01-31 07:00:00-0500",
      "2026-01-31T13:00+01",
      "2026/01/31 12:00:00,0009",
      "20260131T120000Z",
      String(noon),
    ]) {
      expect([written, time.parse(written)]).toEqual([written, noon]);
    }
    expect(time.parse("2026-01-31")).toBe(Date.UTC(2026, 0, 31));
    expect(expiryOption.parse("2026-01-31 12:00")).toEqual({ atMs: noon });
  },
);

test.each([
  "31 Jan 2026",
  "1/31/2026",
  "2026-02-30",
  "2026-01-31 12:00 EST",
  "2026-01-31 25:00",
  "2026-01-31 12:00+24:00",
  "2026-01-31 12:00+01:60",
])("%s is no time, and the error names the zone", (written) => {
  expect(() => timeOption("--from <time>", "").parse(written)).toThrow(/UTC unless .* zone/);
  expect(() => expiryOption.parse(written)).toThrow(/a time such as/);
});

test.each(["20260131", " 20260131 ", "1769860800000"])("%j is no expiry", (written) => {
  expect(() => expiryOption.parse(written)).toThrow(/a time such as/);
});

test("an age counts from the clock that the command reads", () => {
  const past = pastTimeOption("--since <time>", "");
  expect(past.parse("10m")(noon)).toBe(noon - 600_000);
  expect(past.parse("2026-01-31")(noon)).toBe(Date.UTC(2026, 0, 31));
});
