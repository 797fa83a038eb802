import { readFileSync } from "node:fs";
import { z } from "zod";

/** The lines of the interface, and the decisions about its gaps, as listed in venue-lines.ndjson: a head, then one line each. */

const lineSchema = z.strictObject({
  /** `C-4.4-07` or `C-D12-03`: that of the case. */
  id: z.string().regex(/^C-(\d+(\.\d+)?|D\d+)-\d\d$/),
  /** Lines of the interface document it speaks of; of a decision none. */
  at: z.array(z.int()).optional(),
  /** In our own words. */
  says: z.string().min(1),
  /** Where the code is. */
  code: z.string().min(1),
  /** Cases that show it, when it has none of its own. */
  see: z.array(z.string()).min(1).optional(),
  /** Test files that show what no client of a running venue can see. */
  tests: z.array(z.string()).min(1).optional(),
});
export type VenueLine = z.output<typeof lineSchema>;

export const linesFile = new URL("venue-lines.ndjson", import.meta.url);

const headSchema = z.strictObject({
  about: z.string(),
  /** Of the interface document that `at` counts lines of. */
  interfaceSha256: z.string(),
});

const [first = "", ...others] = readFileSync(linesFile, "utf8").trimEnd().split("\n");

export const head = headSchema.parse(JSON.parse(first));
export const lines: readonly VenueLine[] = others.map((line) => lineSchema.parse(JSON.parse(line)));

/** `4.4` or `D12`. */
export function sectionOf(id: string): string {
  return id.slice(2, id.lastIndexOf("-"));
}
