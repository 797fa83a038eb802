import type { TouchlineError } from "../base/error.ts";
import type { Restored } from "../kernel/input.ts";
import type { Store } from "../ports/store.ts";
import type { Entry, RunHeader } from "./entry.ts";
import { OrderLedger } from "./order-ledger.ts";
import { damaged } from "./frame.ts";
import { newestBatchMs, recordKindOf } from "./record-kinds.ts";
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
  /** Time of the newest batch after a damaged part of the journal's end; undefined when nothing is damaged. */
  readonly damagedMs: number | undefined;
  /** Time of the newest record that has one; undefined when the journal is empty. */
  readonly newestMs: number | undefined;
  /** Orders whose end is not known, oldest first. */
  readonly open: ReturnType<OrderLedger["open"]>;
}

/**
 * Reads the highest nonce ever signed, and the orders whose end is not in the journal. Every segment starts with the orders that are
 * open at that point, and checkpoints follow every few megabytes, so only the end of the newest segment is decoded. Throws JOURNAL_DAMAGED,
 * also when the newest segment is missing and the one before it was compressed.
 */
export function restore(store: Store, folder: string): RestoredJournal {
  let damagedMs: number | undefined;
  for (const name of listSegments(store, folder).toReversed()) {
    const segment = readSegment(store, name);
    const laterMs = newestBatchMs(segment.later);
    if (laterMs !== undefined) damagedMs = Math.max(damagedMs ?? laterMs, laterMs);
    // This run ended before its first write, so the segment before it is the newest one.
    if (segment.head === undefined) continue;
    if (name.isCompressed) throw newerIsMissing(name);
    let ledger = new OrderLedger(segment.head.restored);
    let newestMs: number = segment.head.header.startedAtMs;
    for (const entry of entriesOf(segment, lastCheckpoint(segment))) {
      ledger = recordKindOf(entry).restore(ledger, entry);
      newestMs = timeOf(entry) ?? newestMs;
    }
    const header = lastHeader(segment);
    const restored = ledger.restored();
    return { restored, header, damagedMs, newestMs, open: ledger.open() };
  }
  return {
    restored: { nonceHighWater: 0, orders: [], carried: [] },
    header: undefined,
    damagedMs,
    newestMs: undefined,
    open: [],
  };
}

function timeOf(entry: Entry): number | undefined {
  switch (entry.type) {
    case "batch":
      return entry.entry.batch.nowMs;
    case "crash":
      return entry.crash.nowMs;
    case "checkpoint":
      return entry.restored.lastEntry?.nowMs;
    default:
      return undefined;
  }
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
