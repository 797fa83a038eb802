import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaySet, tableHead, tableRow } from "./golden-set.ts";
import { hasShared, negativeSet, sets } from "./shared-sets.ts";

/** Prints the table of `docs/recordings.md`: node test/recordings/print-table.ts */
if (!hasShared) throw new Error("the recordings are not beside the repository, in ../shared/data");
const folder = mkdtempSync(join(tmpdir(), "touchline-table-"));
try {
  process.stdout.write(`${tableHead.join("\n")}\n`);
  for (const [at, set] of [...sets, negativeSet].entries()) {
    const name = set === negativeSet ? "06 negative" : set.name;
    for (const golden of replaySet(set, `${folder}/${at}`)) {
      process.stdout.write(`${tableRow(name, set.format, golden)}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
