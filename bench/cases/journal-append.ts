import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Address, MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry, RunHeader } from "../../src/journal/entry.ts";
import { EntryEncoder } from "../../src/journal/entry-codec.ts";
import { Journal } from "../../src/journal/journal.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { createStore } from "../../src/platform/store.ts";
import type { BenchCase } from "../bench-case.ts";

/** Size of the record in the goals table. */
const RECORD_BYTES = 182;

const owner = `0x${"1".repeat(40)}` as Address;
const header: RunHeader = {
  runId: "bench",
  startedAtMs: unixMs(0),
  codeVersion: "bench",
  configText: "",
  chainId: 1001,
  signer: owner,
  kernel: { owner } as RunHeader["kernel"],
  markets: [],
  strategies: [],
};

/** A batch with one depth event of a few levels, the most frequent record of a journal. */
function entryOf(seq: number): BatchEntry {
  const marketId = "1_2" as MarketId;
  return {
    batch: {
      seq,
      nowMs: unixMs(1_700_000_000_000 + seq),
      inputs: [
        {
          type: "depth",
          event: {
            marketId,
            firstId: 100_000 + seq,
            finalId: 100_000 + seq,
            timeMs: unixMs(1_700_000_000_000 + seq),
            bids: Float64Array.of(2517.1, 12.5, 2517, 3.25, 2516.8, 40),
            asks: Float64Array.of(2517.4, 0.75, 2517.5, 1.5, 2518, 6),
          },
        },
      ],
    },
    effects: [],
    signed: [],
    ended: [],
  };
}

export const journalAppend: BenchCase = {
  goal: "G12",
  title: `journal: one append of a ~${RECORD_BYTES} B record, until the caller goes on`,
  unit: "us",

  async prepare() {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const store = createStore();
    const restored = { nonceHighWater: 0, orders: [] };
    const journal = new Journal({ store, folder, header, restored });
    let ours = 0;

    const database = new DatabaseSync(path.join(folder, "peer.db"));
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec("CREATE TABLE entries (seq INTEGER PRIMARY KEY, record BLOB NOT NULL)");
    const insert = database.prepare("INSERT INTO entries (record) VALUES (?)");
    // The peer stores the same bytes, encoded beforehand: it is only charged for storing them.
    const encoder = new EntryEncoder();
    encoder.batch(entryOf(0));
    const record = encoder.batch(entryOf(1)).slice();
    let theirs = 0;

    const entries = Array.from({ length: 1024 }, (_, at) => entryOf(at + 1));
    return {
      sides: [
        {
          name: "journal append (page cache)",
          run(iterations) {
            for (let index = 0; index < iterations; index += 1) {
              const entry = entries[index % entries.length];
              ours += 1;
              // A journal refuses to be read when its batches are out of order.
              if (entry !== undefined) {
                journal.append({ ...entry, batch: { ...entry.batch, seq: ours } });
              }
            }
            journal.maintain();
          },
        },
        {
          name: "node:sqlite WAL FULL, one insert a commit",
          run(iterations) {
            for (let index = 0; index < iterations; index += 1) {
              insert.run(record);
              theirs += 1;
            }
          },
        },
      ],
      check() {
        void journal.close();
        const [run] = listRuns(store, folder);
        let found = 0;
        if (run !== undefined) for (const _ of entriesOfRun(store, run)) found += 1;
        const rows = database.prepare("SELECT count(*) AS count FROM entries").get()?.["count"];
        database.close();
        if (found !== ours) return `the journal gives ${found} of ${ours} entries back`;
        if (rows !== theirs) return `the database holds ${String(rows)} of ${theirs} rows`;
        if (Math.abs(record.length - RECORD_BYTES) > 20)
          return `a record has ${record.length} bytes`;
        return undefined;
      },
    };
  },
};
