import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OldestKeyCursor } from "../../src/base/oldest-key-cursor.ts";

describe("OldestKeyCursor", () => {
  it("returns the oldest remaining key after any additions and deletions", () => {
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom("add" as const, "delete" as const, "oldest" as const),
        key: fc.nat({ max: 8 }),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (drawn) => {
        const keys = new Set<number>();
        const oldest = new OldestKeyCursor(keys);
        for (const { what, key } of drawn) {
          if (what === "add") keys.add(key);
          else if (what === "delete") keys.delete(key);
          else {
            const first = oldest.next();
            expect(first).toBe([...keys][0]);
            if (first !== undefined) keys.delete(first);
          }
        }
      }),
    );
  });

  it("returns the key of a Map entry", () => {
    const oldest = new OldestKeyCursor(new Map([["one", 1]]));
    expect(oldest.next()).toBe("one");
  });
});
