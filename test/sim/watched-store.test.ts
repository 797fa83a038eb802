import { expect, it } from "vitest";
import { WatchedStore } from "../../src/sim/watched-store.ts";

it.each([
  ["short", `0xf8f1${"0a".repeat(0xf1)}`],
  ["long", `0xf901f4${"0a".repeat(0x1f4)}`],
])("a %s transaction is found in front of bytes that read as digits", (_, transaction) => {
  const store = new WatchedStore();
  store.openAppend("journal/1").append(new TextEncoder().encode(`before${transaction}42`));
  expect(store.hasAppended(transaction)).toBe(true);
});
