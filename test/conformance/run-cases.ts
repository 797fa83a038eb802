import { describe, test } from "vitest";
import { casesByFile } from "./all-cases.ts";
import { openClient, type Transport } from "./open-client.ts";

/** One test a case, over one transport. */
export function runCases(newTransport: () => Transport): void {
  for (const [file, cases] of Object.entries(casesByFile)) {
    describe(file, () => {
      for (const { id, line, venue, run } of cases) {
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
