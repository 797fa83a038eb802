import { describe, expect, test } from "vitest";
import { decimalOf } from "../../src/domain/decimal.ts";
import { fixed } from "../../src/domain/fixed.ts";

describe("a Decimal that several strategies share", () => {
  test("cannot be changed by one of them", () => {
    const shared = decimalOf(fixed("-3"));
    try {
      Object.assign(shared, { s: 1 });
      shared.d.splice(0, 1, 7);
    } catch {
      // It is refused.
    }
    expect(decimalOf(fixed("-3")).toFixed()).toBe("-3");
  });
});
