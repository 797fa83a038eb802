import { describe, expect, test } from "vitest";
import { decimalOf } from "../../src/domain/decimal.ts";
import { fixed } from "../../src/domain/fixed.ts";

describe("a Decimal that several strategies share", () => {
  test("cannot be changed by one of them", () => {
    const shared = decimalOf(fixed("-3"));
    for (const change of [{ s: 1 }, { e: 3 }, { d: [7] }]) {
      expect(() => Object.assign(shared, change)).toThrow(TypeError);
    }
    expect(decimalOf(fixed("-3")).toFixed()).toBe("-3");
  });
});
