import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is gone after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-test-"));
  folders.push(folder);
  return folder;
}
