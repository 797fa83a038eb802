import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { collectedMemory } from "./memory.ts";

/**
 * Loaded before a program (`--import`), writes its memory after a full collection to the file that MEMORY_PROBE_FILE names, one JSON line each
 * MEMORY_PROBE_MS.
 */
const file = process.env["MEMORY_PROBE_FILE"];
const everyMs = Number(process.env["MEMORY_PROBE_MS"] ?? "30000");

if (isMainThread && file !== undefined) {
  setInterval(() => {
    appendFileSync(file, `${JSON.stringify({ atMs: Date.now(), ...collectedMemory() })}\n`);
  }, everyMs).unref();
}
