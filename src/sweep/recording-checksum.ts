import { MANIFEST_FILE } from "../recordings/manifest.ts";
import { SOURCES_FILE } from "../recordings/source-file.ts";
import { isSegment, type RecordingIo } from "../recordings/recording-io.ts";

/** SHA-256 over the names and contents of the manifest and the event files, in hex. */
export function recordingChecksum({ store, compression }: RecordingIo, folder: string): string {
  const names = store
    .list(folder)
    .filter((name) => name === MANIFEST_FILE || name === SOURCES_FILE || isSegment(name));
  const lines = names.map((name) => {
    const bytes = store.read(`${folder}/${name}`) ?? new Uint8Array();
    return `${name} ${compression.sha256(bytes)}\n`;
  });
  return compression.sha256(new TextEncoder().encode(lines.join("")));
}
