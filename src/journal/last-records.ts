import type { Address } from "../domain/ids.ts";
import type { AppendFile, Store } from "../ports/store.ts";
import { EntryEncoder } from "./entry-codec.ts";
import type { CrashEntry } from "./entry.ts";
import { damaged } from "./frame.ts";
import { restore } from "./restore.ts";
import { listSegments, readSegment } from "./segments.ts";

/**
 * Opens the newest segment of a journal behind its last good entry; undefined when the journal has no run yet. The caller must hold the
 * folder's lock, and start with a record that readers may start at. Throws JOURNAL_DAMAGED or WRITE_FAILED.
 */
export function openLast(store: Store, folder: string): AppendFile | undefined {
  for (const name of listSegments(store, folder).toReversed()) {
    const { head, end } = readSegment(store, name);
    if (head === undefined) continue;
    // A segment is compressed only when a durable one follows.
    if (name.isCompressed)
      throw damaged(name.name, end, "is the last one, which is never compressed");
    return store.openAppend(name.path, { truncateTo: end });
  }
  return undefined;
}

/**
 * Records that follow the last run of a journal before the next run has begun. What cannot be written is left out, since these are records
 * of cancels. The caller must hold the folder's lock.
 */
export class LastRecords {
  readonly #encoder = new EntryEncoder();
  #file: AppendFile | undefined;
  /** Address whose key signed in the last run. */
  #signer: string | undefined;

  constructor(store: Store, folder: string) {
    try {
      const { restored, isDamaged, header } = restore(store, folder);
      // The next run sets a damaged end aside; nothing may be written behind it.
      if (isDamaged) return;
      this.#signer = header?.signer;
      this.#file = openLast(store, folder);
      this.#file?.append(this.#encoder.encode({ type: "checkpoint", restored }));
    } catch {
      this.close();
    }
  }

  /** Cancels that the key of `signer` signed. A re-run checks signatures of the run's signer alone, so those of another are left out. */
  crash(crash: CrashEntry, signer: Address): void {
    const entry = signer === this.#signer ? crash : { ...crash, signed: [] };
    try {
      this.#file?.append(this.#encoder.encode({ type: "crash", crash: entry }));
    } catch {
      this.close();
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
