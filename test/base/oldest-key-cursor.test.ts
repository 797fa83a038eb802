import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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

  it("keeps no deleted key in memory while it is not asked for the oldest one", async () => {
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    const keys = new Set<object>();
    const oldest = new OldestKeyCursor(keys);
    let first: object | undefined = { name: "first" };
    keys.add(first);
    expect(oldest.next()).toBe(first);
    // The collection outgrows its table, then loses the key.
    for (let count = 0; count < 1_000; count += 1) keys.add({ count });
    keys.delete(first);
    const seen = new WeakRef(first);
    first = undefined;
    // What a job has touched is kept until its end.
    await new Promise((resolve) => setImmediate(resolve));
    if (typeof collect === "function") collect();
    expect(seen.deref()).toBeUndefined();
    expect(oldest.next()).toEqual({ count: 0 });
  });

  it("returns the key of a Map entry", () => {
    const oldest = new OldestKeyCursor(new Map([["one", 1]]));
    expect(oldest.next()).toBe("one");
  });
});
