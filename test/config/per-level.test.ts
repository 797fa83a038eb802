import { expect, test } from "vitest";
import { z } from "zod";
import { validate } from "../../src/config/issue.ts";
import { baseAmount } from "../../src/domain/base-amount.ts";
import { amount, perLevel, share } from "../../src/domain/setting.ts";

const schema = z.strictObject({ spread: perLevel(share({ max: 0.5 })), size: perLevel(amount()) });

const inQuote = z.strictObject({ size: perLevel(baseAmount()) });

test.each<[unknown, string]>([
  [{ quote: 0 }, "size.quote: must be above 0"],
  [["1", { quote: "x" }], 'size.1.quote: is not an amount, write plain decimals like "0.5"'],
  [{ usd: 5 }, "size.usd: is not a known key, allowed: quote"],
  ["0", "size: must be above 0"],
])("a size of %j is refused where it is wrong", (size, message) => {
  const result = validate(inQuote, { size });
  const all = result.ok ? [] : result.issues;
  expect(all.map(({ path, message: text }) => `${path.join(".")}: ${text}`)).toContain(message);
});

function said(written: object): readonly string[] {
  const result = validate(schema, { spread: "0.1%", size: "1", ...written });
  return result.ok ? [] : result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test("one value or a list is read as a list", () => {
  const result = schema.parse({ spread: "0.1%", size: [1, "0.5"] });
  expect(result.spread).toEqual([0.001]);
  expect(result.size.map(String)).toEqual(["1", "0.5"]);
});

test.each<[object, string]>([
  [{ spread: "x" }, "spread: is not a share, write 0.1% or 0.001"],
  [{ spread: ["0.1%", "60%"] }, "spread.1: is too large, at most 50%"],
  [{ spread: [] }, "spread: is too short, at least 1 entries"],
  [{ size: ["1", "0"] }, "size.1: must be above 0"],
  [{ size: [true] }, 'size.0: is not an amount, write plain decimals like "0.5"'],
])("%j is refused where it is wrong", (written, message) => {
  expect(said(written)).toEqual([message]);
});

test("anything else is a problem that names what is allowed", () => {
  expect(said({ spread: undefined })[0]).toMatch(/^spread: is missing, must be .*a list$/);
  expect(said({ spread: true })[0]).toMatch(/^spread: is not valid, must be .*a list$/);
});
