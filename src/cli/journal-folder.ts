import { existsSync, realpathSync } from "node:fs";
import path from "node:path";

/** The journal's folder as both sides of the socket name it, whatever links lead there. */
export function journalFolder({
  journal,
}: {
  readonly journal: { readonly path: string };
}): string {
  return existsSync(journal.path) ? realpathSync(journal.path) : path.resolve(journal.path);
}
