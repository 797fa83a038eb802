import { describe, expect, it } from "vitest";
import { WatchedStore } from "../../src/sim/watched-store.ts";

it.each([
  ["short", `0xf8f1${"0a".repeat(0xf1)}`],
  ["long", `0xf901f4${"0a".repeat(0x1f4)}`],
])("a %s transaction is found in front of bytes that read as digits", (_, transaction) => {
  let nowMs = 5;
  const store = new WatchedStore(() => nowMs);
  for (nowMs of [5, 6]) {
    store.openAppend("journal/1").append(new TextEncoder().encode(`before${transaction}42`));
  }
  expect(store.appendedMs(transaction)).toBe(5);
});

it("holds a text until a power cut takes it", async () => {
  const store = new WatchedStore();
  const file = store.openAppend("journal/1");
  file.append(new TextEncoder().encode("0xaa"));
  await file.sync();
  file.append(new TextEncoder().encode("0xbb"));
  expect(["0xaa", "0xbb"].map((text) => store.holds("journal", text))).toEqual([true, true]);
  store.powerCut();
  expect(["0xaa", "0xbb"].map((text) => store.holds("journal", text))).toEqual([true, false]);
  // No run reads the copy of a damaged tail.
  store.openAppend("journal/1.damaged-4").append(new TextEncoder().encode("0xbb"));
  expect(store.holds("journal", "0xbb")).toBe(false);
});

describe("a disk that hangs while a process is killed", () => {
  it("makes durable what the process asked for, and nothing goes on in that process", async () => {
    const store = new WatchedStore();
    const file = store.openAppend("journal");
    file.append(new Uint8Array([1, 2, 3]));
    store.isStuck = true;
    let hasGoneOn = false;
    void file.sync().then(() => (hasGoneOn = true));
    store.killed();
    const next = file.sync();
    store.isStuck = false;
    await next;
    expect(hasGoneOn).toBe(false);
    store.powerCut();
    expect(store.read("journal")).toHaveLength(3);
  });
});
