import type { OrderId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { Effect } from "../kernel/effect.ts";
import type { CarriedItem, Input, Restored } from "../kernel/input.ts";
import type { DataReader, DataWriter } from "./data-codec.ts";
import type {
  AdjustedEntry,
  BatchEntry,
  CrashEntry,
  Entry,
  MeasuredEntry,
  SegmentHead,
} from "./entry.ts";
import { SYNCED_FRAME } from "./frame.ts";
import { OrderLedger } from "./order-ledger.ts";
import { placedOrders } from "./placed-orders.ts";

type EntryOf<Type extends Entry["type"]> = Extract<Entry, { readonly type: Type }>;

/** How one kind of record is written, read and used. */
export interface RecordKind<Kind extends Entry> {
  /** The number in the heads of its frames, 1 to 255. Never reuse a number for another kind. */
  readonly frame: number;
  /** Readers may start at such a record, since the numbering of field names restarts. */
  readonly startsStretch: boolean;
  write(writer: DataWriter, entry: Kind): void;
  /** Trusts the shape, since the frame's checksum matched. Throws RangeError on invalid bytes. */
  read(reader: DataReader): Kind;
  /** The ledger after this record, for a restart. */
  restore(ledger: OrderLedger, entry: Kind): OrderLedger;
  /** The orders whose strategy the record names. */
  orders(entry: Kind): readonly { readonly orderId: OrderId; readonly strategy: string }[];
  /** Whether a re-run or a listing of the run includes it. `signer` is the address that signed so far. */
  isPartOfRun(entry: Kind, signer: string): boolean;
}

/** Every kind of record. It does not compile when a kind or one of its functions is missing. */
const recordKinds: { readonly [Type in Entry["type"]]: RecordKind<EntryOf<Type>> } = {
  run: {
    frame: 1,
    startsStretch: true,
    write: (writer, { head }) => writer.value(head),
    read: (reader) => ({ type: "run", head: reader.value() as SegmentHead }),
    restore: (_ledger, { head }) => new OrderLedger(head.restored),
    orders: ({ head }) => head.restored.orders,
    isPartOfRun: ({ head }, signer) => head.header.signer !== signer,
  },
  batch: {
    frame: 2,
    startsStretch: false,
    write: (writer, { entry }) => writeBatch(writer, entry),
    read: (reader) => ({ type: "batch", entry: readBatch(reader) }),
    restore(ledger, { entry }) {
      ledger.apply(entry);
      return ledger;
    },
    orders: ({ entry }) => placedOrders(entry),
    isPartOfRun: () => true,
  },
  checkpoint: {
    frame: 3,
    startsStretch: true,
    write: (writer, { restored }) => writer.value(restored),
    read: (reader) => ({ type: "checkpoint", restored: reader.value() as Restored }),
    restore: (_ledger, { restored }) => new OrderLedger(restored),
    orders: ({ restored }) => restored.orders,
    isPartOfRun: () => false,
  },
  crash: {
    frame: 4,
    startsStretch: false,
    write: (writer, { crash }) => writer.value(crash),
    read: (reader) => ({ type: "crash", crash: reader.value() as CrashEntry }),
    restore(ledger, { crash }) {
      ledger.crashed(crash);
      return ledger;
    },
    orders: () => [],
    isPartOfRun: () => true,
  },
  synced: {
    frame: SYNCED_FRAME,
    startsStretch: false,
    write: (writer, { bytes }) => writer.value(bytes),
    read: (reader) => ({ type: "synced", bytes: reader.value() as number }),
    restore: (ledger) => ledger,
    orders: () => [],
    isPartOfRun: () => false,
  },
  end: {
    frame: 6,
    startsStretch: false,
    write: (writer) => writer.value(null),
    read(reader) {
      reader.value();
      return { type: "end" };
    },
    restore(ledger) {
      ledger.ended();
      return ledger;
    },
    orders: () => [],
    isPartOfRun: () => false,
  },
  adjusted: {
    frame: 7,
    startsStretch: true,
    write: (writer, { adjusted }) => writer.value(adjusted),
    read: (reader) => ({ type: "adjusted", adjusted: reader.value() as AdjustedEntry }),
    restore: (_ledger, { adjusted }) => new OrderLedger(adjusted.restored),
    orders: ({ adjusted }) => adjusted.restored.orders,
    isPartOfRun: () => true,
  },
  measured: {
    frame: 8,
    startsStretch: false,
    write: (writer, { measured }) => writer.value(measured),
    read: (reader) => ({ type: "measured", measured: reader.value() as MeasuredEntry }),
    restore: (ledger) => ledger,
    orders: () => [],
    isPartOfRun: () => true,
  },
};

/** The kind of an entry. Call its functions only with entries of the same type. */
export function recordKindOf(entry: Entry): RecordKind<Entry> {
  return recordKinds[entry.type];
}

const byFrame = new Map<number, RecordKind<Entry>>(
  Object.values(recordKinds).map((kind) => [kind.frame, kind]),
);

/** The kind with this frame number; undefined when this version does not know it. */
export function recordKindOfFrame(frame: number): RecordKind<Entry> | undefined {
  return byFrame.get(frame);
}

/** Writes the record of the hot path. */
export function writeBatch(writer: DataWriter, entry: BatchEntry): void {
  const { batch, effects, signed, ended, booked, carried = [] } = entry;
  writer.value(batch.seq);
  writer.value(batch.nowMs);
  writer.value(batch.inputs);
  // Most batches decide nothing and end here.
  if (effects.length + signed.length + ended.length + booked.length + carried.length > 0) {
    writer.value(effects);
    writer.value(signed);
    writer.value(ended);
    writer.value(booked);
    if (carried.length > 0) writer.value(carried);
  }
}

function readBatch(reader: DataReader): BatchEntry {
  const seq = reader.value() as number;
  const nowMs = unixMs(reader.value() as number);
  const inputs = reader.value() as readonly Input[];
  const isQuiet = reader.isAtEnd;
  const effects = isQuiet ? [] : (reader.value() as readonly Effect[]);
  const signed = isQuiet ? [] : (reader.value() as BatchEntry["signed"]);
  const ended = isQuiet ? [] : (reader.value() as BatchEntry["ended"]);
  const booked = isQuiet ? [] : (reader.value() as BatchEntry["booked"]);
  const entry = { batch: { seq, nowMs, inputs }, effects, signed, ended, booked };
  return reader.isAtEnd ? entry : { ...entry, carried: reader.value() as readonly CarriedItem[] };
}

export const BATCH_FRAME = recordKinds.batch.frame;
export const RUN_FRAME = recordKinds.run.frame;
