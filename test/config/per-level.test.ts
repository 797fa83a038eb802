import { expect, test } from "vitest";
import { z } from "zod";
import { validate } from "../../src/config/issue.ts";
import { amount, perLevel, share } from "../../src/domain/setting.ts";

const schema = z.strictObject({ spread: perLevel(share({ max: 0.5 })), size: perLevel(amount()) });

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
