import { appendFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded before a program (`--import`), writes its memory after a full collection to the file that MEMORY_PROBE_FILE names, one JSON line each
 * MEMORY_PROBE_MS.
 */
const file = process.env["MEMORY_PROBE_FILE"];
const everyMs = Number(process.env["MEMORY_PROBE_MS"] ?? "30000");

if (isMainThread && file !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setInterval(() => {
    if (typeof collect === "function") collect();
    const { heapUsed, rss } = process.memoryUsage();
    appendFileSync(
      file,
      `${JSON.stringify({ atMs: Date.now(), heapBytes: heapUsed, rssBytes: rss })}\n`,
    );
  }, everyMs).unref();
}
