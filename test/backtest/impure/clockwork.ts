// A strategy that uses what a replay cannot repeat; the tests know its lines.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
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
};

export function clockwork(attempt: string, options: { readonly hides?: boolean } = {}) {
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
      return keepQuotes();
    },
  });
}

export default clockwork("Date.now()");
