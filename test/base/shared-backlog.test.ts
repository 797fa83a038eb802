import { describe, expect, it } from "vitest";
import { SharedBacklog } from "../../src/base/shared-backlog.ts";

/** A backlog of at most 100 bytes over clients whose sizes the test sets. */
function setUp(sizes: Record<string, number>) {
  const dropped: string[] = [];
  const backlog = new SharedBacklog<string>(
    100,
    (client) => sizes[client] ?? 0,
    (client) => dropped.push(client),
  );
  for (const client of Object.keys(sizes)) backlog.note(client);
  return { backlog, dropped };
}

describe("a shared backlog", () => {
  it("drops the clients with the most to read until a quarter of the room is free", () => {
    const { dropped } = setUp({ a: 10, b: 40, c: 30, d: 20, e: 1 });
    expect(dropped).toEqual(["b"]);
  });

  it("looks at all clients again before it drops one", () => {
    const sizes: Record<string, number> = { a: 90, b: 0 };
    const { backlog, dropped } = setUp(sizes);
    sizes["a"] = 5;
    sizes["b"] = 60;
    backlog.note("b");
    expect(dropped).toEqual([]);
    sizes["a"] = 41;
    backlog.note("a");
    expect(dropped).toEqual(["b"]);
  });

  it("counts a client that has gone no more", () => {
    const sizes: Record<string, number> = { a: 90 };
    const { backlog, dropped } = setUp(sizes);
    backlog.forget("a");
    backlog.forget("a");
    sizes["b"] = 100;
    backlog.note("b");
    expect(dropped).toEqual([]);
  });
});
