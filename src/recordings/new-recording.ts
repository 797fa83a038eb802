import { TouchlineError } from "../base/error.ts";
import { DEFECTS_FILE } from "./defect-list.ts";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";
import { isSegment, type RecordingIo } from "./recording-io.ts";
import { assertNoRecording, RecordingWriter } from "./recording-writer.ts";

/** A recording that is not there until all of it is. */
export interface NewRecording {
  /** Where it is written for now. */
  readonly folder: string;
  readonly writer: RecordingWriter;
  /** Writes the manifest and gives the folder its name. */
  finish(manifest: Manifest): void;
  /** Leaves nothing behind. */
  discard(): void;
}

/**
 * Starts a recording in a folder beside `out`, named like it with `.part` behind; what a killed import left there goes away.
 * Throws TouchlineError `RECORDING_EXISTS`, or `FOLDER_TAKEN` when `out` holds anything else.
 */
export function newRecording(io: RecordingIo, out: string): NewRecording {
  const target = checkFolder(io, out);
  const folder = `${target}.part`;
  removeRecording(io, folder);
  const writer = new RecordingWriter(io, folder);
  return {
    folder,
    writer,
    finish(manifest) {
      writer.close();
      writer.writeManifest(manifest);
      io.store.rename(folder, target);
    },
    discard() {
      try {
        writer.close();
      } catch {
        // A full disk, say: what failed before is what the user hears of.
      }
      io.store.remove(folder);
    },
  };
}

/** The folder's name as it will be; throws as `newRecording` does when it cannot be one. */
export function checkFolder(io: RecordingIo, out: string): string {
  const target = out.replace(/[/\\]+$/, "");
  if (/^$|(^|[/\\])\.{1,2}$/.test(target)) {
    throw new TouchlineError("FOLDER_TAKEN", `${out} is no name for a new folder.`, {
      hint: "Name a folder that does not exist yet, like recordings/btcusdt.",
    });
  }
  assertNoRecording(io, target);
  if (io.store.list(target).length > 0) {
    throw new TouchlineError("FOLDER_TAKEN", `${target} holds other files.`, {
      hint: "A recording is a folder of its own: name a new one.",
    });
  }
  return target;
}

/** Removes a recording, whole or not. Throws TouchlineError `FOLDER_TAKEN` when the folder holds anything else. */
export function removeRecording(io: RecordingIo, folder: string): void {
  const isOurs = io.store
    .list(folder)
    .every((name) => isSegment(name) || name === MANIFEST_FILE || name === DEFECTS_FILE);
  if (!isOurs) {
    throw new TouchlineError("FOLDER_TAKEN", `${folder} holds other files.`, {
      hint: "A recording is written there until it is whole: move that folder away.",
    });
  }
  io.store.remove(folder);
}
