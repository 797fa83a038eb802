import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compiledHead,
  compiledRow,
  compiledSet,
  replaySet,
  tableHead,
  tableRow,
} from "./golden-set.ts";
import { hasShared, negativeSet, sets } from "./shared-sets.ts";

/** Prints the tables of `golden-tables.md`: node test/recordings/print-table.ts */
if (!hasShared) throw new Error("the recordings are not beside the repository, in ../shared/data");
const folder = mkdtempSync(join(tmpdir(), "touchline-table-"));
try {
  process.stdout.write(`${tableHead.join("\n")}\n`);
  const compiled = [...compiledHead];
  for (const [at, set] of [...sets, negativeSet].entries()) {
    const name = set === negativeSet ? "06 negative" : set.name;
    const replayed = replaySet(set, `${folder}/${at}`);
    const columns = compiledSet(`${folder}/${at}`);
    for (const golden of replayed) {
      process.stdout.write(`${tableRow(name, set.format, golden)}\n`);
      const ofMarket = columns.get(golden.market.marketId);
      if (ofMarket !== undefined) compiled.push(compiledRow(name, golden, ofMarket));
    }
  }
  process.stdout.write(`\n${compiled.join("\n")}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
