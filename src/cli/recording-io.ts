import type { RecordingIo } from "../recordings/recording-io.ts";

/** Recording ports on the local file system. */
export async function openRecordingIo(): Promise<RecordingIo> {
  const { createStore } = await import("../platform/store.ts");
  const { nodeCompression } = await import("../platform/compression.ts");
  return { store: createStore(), compression: nodeCompression };
}
