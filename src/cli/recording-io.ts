import type { RecordingIo } from "../recordings/recording-io.ts";

/** This machine's files, for recordings. */
export async function openRecordingIo(): Promise<RecordingIo> {
  const { createStore } = await import("../platform/store.ts");
  const { nodeCompression } = await import("../platform/compression.ts");
  return { store: createStore(), compression: nodeCompression };
}
