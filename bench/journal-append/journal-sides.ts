import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Prng } from "../../src/base/prng.ts";
import type { PlaceCommand } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import type { Address, MarketId, OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { BatchEntry, RunHeader } from "../../src/journal/entry.ts";
import { EntryEncoder } from "../../src/journal/entry-codec.ts";
import { Journal } from "../../src/journal/journal.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { createStore } from "../../src/platform/store.ts";

/** Length of a signed order. */
const SIGNED_BYTES = 273;
/** Steps with numbers of their own, used over and over. */
const STEPS = 1024;
const START_MS = 1_700_000_000_000;

const marketId = "1_2" as MarketId;
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

/**
 * What a bot appends for an order: a step with one depth event of a few levels, one placement, and its signed bytes. The journal stores
 * it as it does live. The peers store the same bytes, encoded beforehand, so they are charged for storing only.
 */
export class JournalSides {
  /** Length of one record. */
  readonly recordBytes: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
  readonly #store = createStore();
  readonly #journal: Journal;
  readonly #steps: readonly BatchEntry[];
  readonly #record: Uint8Array;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #file: number;
  #appended = 0;
  #inserted = 0;

  constructor() {
    const restored = { nonceHighWater: 0, orders: [], carried: [] };
    const folder = this.#folder;
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    this.#journal = new Journal({ store: this.#store, folder, header, restored });
    const random = new Prng(1);
    this.#steps = Array.from({ length: STEPS }, (_, at) => stepOf(at + 1, random));
    const encoder = new EntryEncoder();
    // The first record of an encoder also holds the texts that later ones refer to.
    for (const step of this.#steps.slice(0, 2)) encoder.batch(step);
    this.#record = encoder.batch(stepOf(3, random)).slice();
    this.recordBytes = this.#record.length;
    this.#database = new DatabaseSync(path.join(folder, "peer.db"));
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#database.exec("CREATE TABLE entries (seq INTEGER PRIMARY KEY, record BLOB NOT NULL)");
    this.#insert = this.#database.prepare("INSERT INTO entries (record) VALUES (?)");
    this.#file = openSync(path.join(folder, "peer.bin"), "a");
  }

  /** Ours, until the caller goes on: the record is in the page cache. */
  append(): void {
    const step = this.#steps[this.#appended % STEPS];
    if (step === undefined) return;
    this.#appended += 1;
    // A journal refuses to be read when its batches are out of order.
    this.#journal.append({ ...step, batch: { ...step.batch, seq: this.#appended } });
  }

  /** What the driver lets the journal do after the sends. */
  maintain(): void {
    this.#journal.maintain();
  }

  /** Ours, until the disk has it. */
  async appendDurably(): Promise<void> {
    this.append();
    await this.#journal.sync();
  }

  /** node:sqlite with a write-ahead log, one commit, until the disk has it. */
  insert(): void {
    this.#insert.run(this.#record);
    this.#inserted += 1;
  }

  /** One write and one fdatasync, the least that a durable record costs. */
  writeDurably(): void {
    writeSync(this.#file, this.#record);
    fdatasyncSync(this.#file);
  }

  /** Describes what is not there again; undefined when both stores give back everything. */
  check(): string | undefined {
    void this.#journal.close();
    const [run] = listRuns(this.#store, this.#folder);
    let signed = 0;
    if (run !== undefined) {
      for (const found of entriesOfRun(this.#store, run)) {
        if (found.type === "batch") signed += found.entry.signed.length;
      }
    }
    const rows = this.#database.prepare("SELECT count(*) AS count FROM entries").get()?.["count"];
    this.#database.close();
    closeSync(this.#file);
    if (signed !== this.#appended) return `the journal has ${signed} of ${this.#appended} orders`;
    if (rows !== this.#inserted)
      return `the database holds ${String(rows)} of ${this.#inserted} rows`;
    return undefined;
  }
}

function stepOf(seq: number, random: Prng): BatchEntry {
  const nowMs = unixMs(START_MS + seq);
  const level = (price: number): readonly number[] => [price, random.int(1, 4000) / 100];
  const bids = Float64Array.of(...[2517.1, 2517, 2516.8].flatMap(level));
  const asks = Float64Array.of(...[2517.4, 2517.5, 2518].flatMap(level));
  const id = 100_000 + seq;
  const depth = { marketId, firstId: id, finalId: id, timeMs: nowMs, bids, asks };
  const placement: PlaceCommand = {
    type: "place",
    intent: seq,
    nonce: nowMs,
    strategy: "maker",
    marketId,
    side: seq % 2 === 0 ? "BUY" : "SELL",
    orderType: "LIMIT",
    orderMode: 0,
    price: 2517 + random.int(-50, 50) / 10,
    quantity: fixed("0.5"),
  };
  const txHash = hexOf(32, random) as OrderId;
  return {
    batch: { seq, nowMs, inputs: [{ type: "depth", event: depth }] },
    effects: [placement],
    signed: [{ intent: seq, txHash, bytesHex: hexOf(SIGNED_BYTES, random) }],
    ended: [],
    booked: [],
  };
}

function hexOf(bytes: number, random: Prng): string {
  const hex = Array.from({ length: bytes }, () => random.int(0, 255).toString(16).padStart(2, "0"));
  return `0x${hex.join("")}`;
}
