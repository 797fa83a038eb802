import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Bytes of the heap after a full collection, and of the whole process. */
export function collectedMemory(): { readonly heapBytes: number; readonly rssBytes: number } {
  if (typeof collect === "function") collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, rssBytes: rss };
}
