import { TouchlineError } from "../base/error.ts";
import { DEFECTS_FILE } from "./defect-list.ts";
import { MANIFEST_FILE, type Manifest } from "./manifest.ts";
import { isSegment, type RecordingIo } from "./recording-io.ts";
import { SOURCES_FILE, SourceWriter } from "./source-file.ts";
import { assertNoRecording, RecordingWriter } from "./recording-writer.ts";

/** A recording that appears under its name only when it is complete. */
export interface NewRecording {
  /** Temporary folder while it is being written. */
  readonly folder: string;
  readonly writer: RecordingWriter;
  readonly sources: SourceWriter;
  /** Writes the manifest and moves the folder to its final name. */
  finish(manifest: Manifest): void;
  /** Removes everything written so far. */
  discard(): void;
}

/**
 * Starts a recording in the folder `<out>.part`; remains of an interrupted import there are removed.
 * Throws TouchlineError `RECORDING_EXISTS`, or `FOLDER_TAKEN` when `out` holds other files.
 */
export function newRecording(io: RecordingIo, out: string): NewRecording {
  const target = checkFolder(io, out);
  const folder = `${target}.part`;
  removeRecording(io, folder);
  const writer = new RecordingWriter(io, folder);
  const sources = new SourceWriter(io, folder);
  return {
    folder,
    writer,
    sources,
    finish(manifest) {
      writer.close();
      sources.close();
      writer.writeManifest(manifest);
      io.store.rename(folder, target);
    },
    discard() {
      try {
        writer.close();
        sources.close();
      } catch {
        // For instance on a full disk; the user sees the error that came first.
      }
      io.store.remove(folder);
    },
  };
}

/** Returns the name of the folder to create, without trailing slashes. Throws as `newRecording` does. */
export function checkFolder(io: RecordingIo, out: string): string {
  const target = out.replace(/[/\\]+$/, "");
  if (/^$|(^|[/\\])\.{1,2}$/.test(target)) {
    throw new TouchlineError("FOLDER_TAKEN", `${out} is not a name for a new folder.`, {
      hint: "Name a folder that does not exist yet, such as recordings/btcusdt.",
    });
  }
  assertNoRecording(io, target);
  if (io.store.list(target).length > 0) {
    throw new TouchlineError("FOLDER_TAKEN", `${target} holds other files.`, {
      hint: "A recording needs a folder of its own: name a new one.",
    });
  }
  return target;
}

/** Removes a complete or partial recording. Throws TouchlineError `FOLDER_TAKEN` when the folder holds other files. */
export function removeRecording(io: RecordingIo, folder: string): void {
  const isOurs = io.store
    .list(folder)
    .every((name) => isSegment(name) || [MANIFEST_FILE, DEFECTS_FILE, SOURCES_FILE].includes(name));
  if (!isOurs) {
    throw new TouchlineError("FOLDER_TAKEN", `${folder} holds other files.`, {
      hint: "Recordings are written there until they are complete: move that folder away.",
    });
  }
  io.store.remove(folder);
}
