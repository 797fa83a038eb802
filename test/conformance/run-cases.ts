import { describe, test } from "vitest";
import { casesByFile } from "./all-cases.ts";
import { openClient, type Transport } from "./open-client.ts";

/** One test a case, over one transport; with `every`, of each file only every so many. */
export function runCases(newTransport: () => Transport, every = 1): void {
  for (const [file, cases] of Object.entries(casesByFile)) {
    describe(file, () => {
      for (const { id, line, venue, run } of cases.filter((_, at) => at % every === 0)) {
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
