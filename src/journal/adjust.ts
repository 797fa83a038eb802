import { TouchlineError } from "../base/error.ts";
import type { UnixMs } from "../domain/time.ts";
import type { CarriedItem } from "../kernel/input.ts";
import type { Store } from "../ports/store.ts";
import type { AdjustedEntry } from "./entry.ts";
import { EntryEncoder } from "./entry-codec.ts";
import { OrderLedger } from "./order-ledger.ts";
import { restore } from "./restore.ts";
import { openLast } from "./last-records.ts";

/**
 * Records what a person set by hand between two runs: the next run begins with it, and re-runs of recorded runs do not change. The
 * caller must hold the folder's lock. Returns false when the journal has no run yet. Throws
 * JOURNAL_DAMAGED, JOURNAL_TAIL_DAMAGED or WRITE_FAILED.
 */
export async function adjustJournal(
  store: Store,
  folder: string,
  items: readonly CarriedItem[],
  nowMs: UnixMs,
  from: Pick<AdjustedEntry, "trade"> = {},
): Promise<boolean> {
  const { restored, isDamaged } = restore(store, folder);
  if (isDamaged) {
    throw new TouchlineError(
      "JOURNAL_TAIL_DAMAGED",
      `The end of the journal in ${folder} is damaged.`,
      {
        context: { folder },
        hint: "Start the bot once: it keeps what is damaged aside.",
      },
    );
  }
  const ledger = new OrderLedger(restored);
  ledger.carry(items);
  const file = openLast(store, folder);
  if (file === undefined) return false;
  const adjusted = { nowMs, items, ...from, restored: ledger.restored() };
  try {
    const encoder = new EntryEncoder();
    file.append(encoder.encode({ type: "adjusted", adjusted }));
    await file.sync();
    // Without this mark a later damage of the record would pass for a torn end, and the next start would forget it.
    file.append(encoder.encode({ type: "synced", bytes: file.size }));
    await file.sync();
  } finally {
    file.close();
  }
  return true;
}
