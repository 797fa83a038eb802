import { verifyTools } from "../../src/cli/journal-tools.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { type Verified, verifyRun } from "../../src/journal/verify.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import type { MemoryStore } from "../../src/sim/memory-store.ts";

/** Re-runs the newest run of a journal, as `journal verify` does. */
export async function verifyNewestRun(
  of: { readonly store: MemoryStore; readonly crypto: Crypto },
  folder = "journal",
): Promise<Verified> {
  const run = listRuns(of.store, folder).at(-1);
  if (run === undefined) throw new Error("no run in the journal");
  const tools = await verifyTools(run.header, of.crypto, { config: undefined, trust: true });
  return verifyRun(run.header, entriesOfRun(of.store, run), tools);
}
