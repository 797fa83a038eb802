import { describe, test } from "vitest";
import { casesByFile } from "./all-cases.ts";
import { openClient, type Transport } from "./open-client.ts";
import { lines } from "./venue-lines.ts";

/** One test a case, over one transport. A line whose feature is not there yet is skipped, with its name. */
export function runCases(newTransport: () => Transport): void {
  const pending = new Map(lines.map((line) => [line.id, line.pending]));
  for (const [file, cases] of Object.entries(casesByFile)) {
    describe(file, () => {
      for (const { id, line, venue, run } of cases) {
        const feature = pending.get(id);
        if (feature !== undefined) {
          test.skip(`${id} ${line} (pending: ${feature})`);
          continue;
        }
        test(`${id} ${line}`, async () => {
          const client = await openClient(newTransport(), venue);
          try {
            await run(client);
          } finally {
            await client.close();
          }
        });
      }
    });
  }
}
