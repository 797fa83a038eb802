import { parentPort } from "node:worker_threads";
import { assert } from "../../src/base/assert.ts";
import { Turns } from "../../src/platform/turns.ts";

/** Runs work of which some throws, on a thread of its own that outlives it; tells what was done and what was thrown. */
assert(parentPort !== null, "runs as a thread");
const port = parentPort;
const turns = new Turns();
const done: number[] = [];
const thrown: string[] = [];
process.on("uncaughtException", (error) => thrown.push(error.message));

for (let at = 0; at < 6; at += 1) {
  turns.run(() => {
    const endMs = performance.now() + 6;
    while (performance.now() < endMs);
    if (at === 2 || at === 3) throw new Error(`work ${at}`);
    done.push(at);
    if (at === 5) port.postMessage({ done, thrown });
  });
}
