// A strategy that uses what a replay cannot repeat; the tests know its lines.
import { execFileSync } from "node:child_process";
import { Console } from "node:console";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { closeSync, lstatSync, openSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { Writable } from "node:stream";
import { setTimeout as later } from "node:timers/promises";
import { defineStrategy, keepQuotes, z } from "touchline";

/* Date.now() in a comment, and "Math.random" in a text, are no use of them. */
export const attempts: Readonly<Record<string, () => unknown>> = {
  "Date.now()": () => Date.now(),
  "new Date()": () => new Date(),
  "performance.now()": () => performance.now(),
  "process.hrtime.bigint()": () => process.hrtime.bigint(),
  "Math.random()": () => [3, 1, 2].toSorted(() => Math.random() - 0.5),
  "crypto.randomUUID()": () => randomUUID(),
  "fs.readFileSync()": () => readFileSync(import.meta.filename, "utf8"),
  "fetch()": () => fetch("data:,"),
  "setTimeout()": () => setTimeout(() => undefined, 1),
  "Intl.DateTimeFormat.format()": () => new Intl.DateTimeFormat("en").format(),
  "Intl.DateTimeFormat.formatToParts()": () => new Intl.DateTimeFormat("en").formatToParts(),
  "process.memoryUsage()": () => process.memoryUsage(),
  "fs.openSync()": () => closeSync(openSync(import.meta.filename, "r")),
  "fs.lstatSync()": () => lstatSync(import.meta.filename),
  "crypto.generateKeyPairSync()": () => generateKeyPairSync("ed25519"),
  "os.loadavg()": () => loadavg(),
  "child_process.execFileSync()": () => execFileSync("true"),
  "timers.promises.setTimeout()": () => later(1),
  "queueMicrotask()": () => queueMicrotask(() => undefined),
};

export function clockwork(attempt: string, options: { readonly hides?: boolean } = {}) {
  // Test runners stamp each line with the time in the same way.
  const stdout = new Writable({
    write(_line, _encoding, done) {
      Date.now();
      done();
    },
  });
  const quiet = new Console(stdout);
  return defineStrategy({
    name: "clockwork",
    params: z.strictObject({}),
    init: () => ({}),
    decide() {
      try {
        attempts[attempt]?.();
      } catch (error) {
        if (options.hides !== true) throw error;
      }
      new Date(0).toISOString();
      new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(0);
      quiet.log("a line of the strategy's own");
      return keepQuotes();
    },
  });
}

export default clockwork("Date.now()");
