import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A new folder that is gone after the run (`run-folder.ts`). */
export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "touchline-test-"));
}
