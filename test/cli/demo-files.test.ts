import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { keptDemo } from "../../src/cli/demo-files.ts";

const parent = mkdtempSync(path.join(tmpdir(), "touchline-demo-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const keyOf = (byte: number) => (): Uint8Array => new Uint8Array(32).fill(byte);

test("a demo that is kept has the key, journal and venue of its first run, and the key is for its owner alone", () => {
  const folder = path.join(parent, "kept");
  const first = keptDemo(keyOf(1), folder);
  expect(first.key).toEqual(keyOf(1)());
  expect(keptDemo(keyOf(2), folder)).toEqual(first);
  expect(statSync(path.join(folder, "key")).mode & 0o777).toBe(0o600);
});

test("a key file that holds no key is refused", () => {
  const folder = path.join(parent, "damaged");
  keptDemo(keyOf(1), folder);
  writeFileSync(path.join(folder, "key"), "0x12\n");
  expect(() => keptDemo(keyOf(2), folder)).toThrow("holds no key");
});
