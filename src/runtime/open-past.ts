import { TouchlineError } from "../base/error.ts";
import type { Address } from "../domain/ids.ts";
import { restore, type RestoredJournal } from "../journal/restore.ts";
import type { Store } from "../ports/store.ts";
import type { LiveSettings } from "./live-settings.ts";

/** Restores the orders that earlier runs left open. Throws TouchlineError `JOURNAL_DAMAGED` or `JOURNAL_OF_ANOTHER`. */
export function openPast(
  settings: Pick<LiveSettings, "journal" | "venue">,
  store: Store,
  owner: Address,
): RestoredJournal {
  const { path } = settings.journal;
  const past = restore(store, path);
  const { header, restored } = past;
  const isOther =
    header !== undefined &&
    (header.kernel.owner !== owner || header.chainId !== settings.venue.chainId);
  if (isOther && restored.orders.length > 0) {
    throw new TouchlineError(
      "JOURNAL_OF_ANOTHER",
      `The journal in ${path} belongs to ${header.kernel.owner} on chain ${header.chainId} and holds ${restored.orders.length} orders that may still be open.`,
      {
        context: { path },
        hint: "Start that bot again to close them, or give this one a journal of its own (journal.path).",
      },
    );
  }
  return past;
}
