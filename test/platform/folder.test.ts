import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "../../src/platform/folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("makeFolder", () => {
  it("makes what is missing, and does nothing the second time", () => {
    const folder = path.join(temporaryFolder(), "a", "b", "c");
    makeFolder(folder);
    makeFolder(folder);
    expect(existsSync(folder)).toBe(true);
  });

  it("throws where a file is in the way", () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => makeFolder(file)).toThrow("EEXIST");
    expect(() => makeFolder(path.join(file, "below"))).toThrow(/EEXIST|ENOTDIR/);
  });

  it.runIf(existsSync("/proc/self"))(
    "throws, instead of never returning, where the system makes no folders",
    () => {
      expect(() => makeFolder("/proc/none/below")).toThrow("ENOENT");
    },
  );
});
