import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** What the tests of a run, and processes that they kill, write to the temporary folder is gone after it. */
export default function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-tests-"));
  // Some tests act as another user.
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
