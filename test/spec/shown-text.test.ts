import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isPlainText } from "../../src/base/plain-text.ts";
import { channels } from "../../src/spec/channels.ts";
import { endpoints } from "../../src/spec/endpoints.ts";

/** Texts of a hostile venue, in the forms that ids have. */
const hostile = [
  "1_2\u001b[2J",
  "1\u001b]0;title\u0007_2",
  "7\ntouchline: no order is open",
  "1_2\u009b31m",
  "1_2\u202e3_4",
  "1\u2028_2",
  "1_2\u200b",
  "1_\ud800",
];

/** Every schema of a text within a schema, with its path. */
function* texts(schema: z.core.$ZodType, at: string): Iterable<readonly [string, z.core.$ZodType]> {
  if (schema instanceof z.ZodString) yield [at, schema];
  else if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape)) yield* texts(field, `${at}.${name}`);
  } else if (schema instanceof z.ZodArray) yield* texts(schema.element, `${at}[]`);
  else if (schema instanceof z.ZodUnion) {
    for (const option of schema.options) yield* texts(option, at);
  } else if (schema instanceof z.ZodTuple) {
    for (const item of schema.def.items) yield* texts(item, `${at}[]`);
  } else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    yield* texts(schema.def.innerType, at);
  } else if (schema instanceof z.ZodPipe) yield* texts(schema.def.in, at);
}

const all = [
  ...Object.values(endpoints).flatMap(({ name, result }) => [...texts(result, name)]),
  ...Object.entries(channels).flatMap(([name, { payload }]) => [...texts(payload, name)]),
];

describe("a text of the venue", () => {
  it("is found in responses and on the streams", () => {
    const found = new Set(all.map(([at]) => at));
    expect([...found]).toEqual(
      expect.arrayContaining(["trades[].tradeId", "market[].marketId", "userEvent.tradeId"]),
    );
  });

  it.each(all)("is refused or made plain where it has control characters: %s", (_, schema) => {
    for (const text of hostile) {
      const read = z.safeParse(schema, text);
      const shown: unknown = read.success ? read.data : "";
      expect(typeof shown === "string" && isPlainText(shown)).toBe(true);
    }
  });
});
