import { expect, test } from "vitest";
import { refusalCodes, refusalReasonOf } from "../../src/spec/refusal.ts";

test("every reason has a code of its own, which means that reason", () => {
  for (const [reason, code] of Object.entries(refusalCodes)) {
    expect(refusalReasonOf(code)).toBe(reason);
  }
});

test("what a proxy forbids is no verdict on the signature; a code without a meaning says nothing of the request", () => {
  expect(refusalReasonOf(403)).toBe("forbidden");
  expect([402, 405, 413, 418].map(refusalReasonOf)).toEqual(Array(4).fill("unavailable"));
});
