import type { TouchlineError } from "../base/error.ts";
import type { Restored } from "../kernel/input.ts";
import type { Store } from "../ports/store.ts";
import type { RunHeader } from "./entry.ts";
import { OrderLedger } from "./order-ledger.ts";
import { damaged } from "./frame.ts";
import { recordKindOf } from "./record-kinds.ts";
import {
  entriesOf,
  lastCheckpoint,
  lastHeader,
  listSegments,
  readSegment,
  type SegmentName,
} from "./segments.ts";

/** What the next run needs to know about earlier runs. */
export interface RestoredJournal {
  readonly restored: Restored;
  /** The header of the newest run, with its last signer; undefined when the journal is empty. */
  readonly header: RunHeader | undefined;
  /** A part of the journal's end is damaged, and entries follow it. */
  readonly isDamaged: boolean;
  /** Orders whose end is not known, oldest first. */
  readonly open: ReturnType<OrderLedger["open"]>;
}

/**
 * Reads the highest nonce ever signed, and the orders whose end is not in the journal. Every segment starts with the orders that are
 * open at that point, and checkpoints follow every few megabytes, so only the end of the newest segment is decoded. Throws JOURNAL_DAMAGED,
 * also when the newest segment is missing and the one before it was compressed.
 */
export function restore(store: Store, folder: string): RestoredJournal {
  let isDamaged = false;
  for (const name of listSegments(store, folder).toReversed()) {
    const segment = readSegment(store, name);
    isDamaged ||= segment.later.length > 0;
    // This run ended before its first write, so the segment before it is the newest one.
    if (segment.head === undefined) continue;
    if (name.isCompressed) throw newerIsMissing(name);
    let ledger = new OrderLedger(segment.head.restored);
    for (const entry of entriesOf(segment, lastCheckpoint(segment))) {
      ledger = recordKindOf(entry).restore(ledger, entry);
    }
    const header = lastHeader(segment);
    const restored = ledger.restored();
    return { restored, header, isDamaged, open: ledger.open() };
  }
  return {
    restored: { nonceHighWater: 0, orders: [], carried: [] },
    header: undefined,
    isDamaged,
    open: [],
  };
}

/** A segment is compressed only when a durable one follows, so an old position and old nonces would be taken for the newest. */
function newerIsMissing({ name }: SegmentName): TouchlineError {
  return damaged(
    name,
    0,
    "is compressed, so newer ones followed it, and they are missing",
    "Put them back. To go on without them: `touchline order cancel-all`, a new journal.path, one run, and `touchline position set`.",
  );
}
