import fc from "fast-check";
import { expect, it } from "vitest";
import { plainText } from "../../src/base/plain-text.ts";

it("text from outside is one line without control characters, of bounded length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
      const plain = plainText(text, 100);
      expect(plain).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
      expect(plain.length).toBeLessThanOrEqual(101);
      expect(plain.isWellFormed()).toBe(true);
    }),
  );
});

it("ordinary text stays as it is", () => {
  const text = "limit is 0: 5 > 3 — größer, 价格, \u{1f600}";
  expect(plainText(text)).toBe(text);
});
