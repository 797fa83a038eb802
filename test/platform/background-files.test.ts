import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { backgroundFiles } from "../../src/platform/background-files.ts";
import { nodeCompression } from "../../src/platform/compression.ts";
import { fileInMemory } from "../../src/recordings/columns/new-columns.ts";

const folder = mkdtempSync(join(tmpdir(), "touchline-background-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("background files", () => {
  it("writes a whole file with the given time, over what a killed process left", async () => {
    const path = join(folder, "one");
    writeFileSync(`${path}.part`, "half of an earlier attempt");
    await backgroundFiles.write(path, new TextEncoder().encode("whole"), 1_700_000_000_000);
    expect(readFileSync(path, "utf8")).toBe("whole");
    expect(readdirSync(folder)).toEqual(["one"]);
    expect(await backgroundFiles.details(folder)).toEqual([
      { name: "one", bytes: 5, modifiedMs: 1_700_000_000_000 },
    ]);
    expect(await backgroundFiles.read(path)).toEqual(Buffer.from("whole"));
    await backgroundFiles.remove(path);
    expect(await backgroundFiles.details(folder)).toEqual([]);
  });

  it("leaves nothing behind when a write fails", async () => {
    // A folder in the place of the target makes the last step fail.
    const path = join(folder, "taken");
    mkdirSync(path);
    await expect(backgroundFiles.write(path, new Uint8Array(4096), 1)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["taken"]);
    rmSync(path, { recursive: true });
  });

  it("has nothing to say about files that do not exist", async () => {
    expect(await backgroundFiles.read(join(folder, "none"))).toBeUndefined();
    expect(await backgroundFiles.details(join(folder, "none"))).toEqual([]);
    await expect(backgroundFiles.remove(join(folder, "none"))).resolves.toBeUndefined();
  });
});

describe("compression in the background", () => {
  it("gives what unpack reads", async () => {
    const bytes = new TextEncoder().encode("touchline ".repeat(1000));
    const compressed = await nodeCompression.compressInBackground(bytes);
    expect(compressed.length).toBeLessThan(200);
    const pieces = [...nodeCompression.unpack(fileInMemory(compressed))];
    expect(new Uint8Array(Buffer.concat(pieces))).toEqual(bytes);
  });
});
