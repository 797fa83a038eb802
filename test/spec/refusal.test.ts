import { expect, test } from "vitest";
import { refusalCodes, refusalReasonOf } from "../../src/spec/refusal.ts";

test("every reason has a code of its own, which means that reason", () => {
  for (const [reason, code] of Object.entries(refusalCodes)) {
    expect(refusalReasonOf(code)).toBe(reason);
  }
});

test("a signer that a proxy forbids is unauthorized; a code without a meaning says nothing of the request", () => {
  expect(refusalReasonOf(403)).toBe("unauthorized");
  expect([402, 405, 413, 418].map(refusalReasonOf)).toEqual(Array(4).fill("unavailable"));
});
