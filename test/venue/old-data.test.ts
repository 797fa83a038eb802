import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import type { OrderId, TokenId } from "../../src/domain/ids.ts";
import { createDatabaseOpener } from "../../src/platform/database.ts";
import type { SqlValue } from "../../src/ports/database.ts";
import { VenueData } from "../../src/venue/data/venue-data.ts";
import {
  ETH,
  funds,
  NOW,
  testAddress,
  testHash,
  testMarket,
  transactionOf,
  USDT,
} from "../support/exchange.ts";
import { silentLog } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** A dataDir of format 1 as version 0.1.0 left it: a snapshot, then actions of every kind. */
const sample = JSON.parse(
  readFileSync(new URL("../golden/venue-data-format-1.json", import.meta.url), "utf8"),
) as {
  readonly nowMs: number;
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>>;
  /** What its exchange had in each part of a snapshot. */
  readonly state: Readonly<Record<string, readonly unknown[]>>;
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The sample as a database file, made with the tables that version 0.1.0 had. */
function sampleFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "touchline-old-data-"));
  folders.push(folder);
  const file = join(folder, "venue.db");
  const database = createDatabaseOpener().open(file);
  database.exec(`
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE groups (number INTEGER PRIMARY KEY, block INTEGER NOT NULL, actions TEXT NOT NULL);
    CREATE TABLE images (number INTEGER PRIMARY KEY, isWhole INTEGER NOT NULL);
    CREATE TABLE pieces (
      image INTEGER NOT NULL, part TEXT NOT NULL, at INTEGER NOT NULL, lines TEXT NOT NULL
    );
    CREATE INDEX piecesOfPart ON pieces (image, part, at);
  `);
  for (const [table, rows] of Object.entries(sample.tables)) {
    for (const row of rows) {
      const marks = Object.keys(row).map(() => "?");
      database
        .prepare(`INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${marks.join()})`)
        .run(...Object.values(row));
    }
  }
  database.close();
  return file;
}

/** A copy of the file as a killed process leaves it. */
function crashed(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), "touchline-old-data-"));
  folders.push(folder);
  cpSync(dirname(file), folder, { recursive: true });
  return join(folder, "venue.db");
}

function open(file: string, database = createDatabaseOpener().open(file)): VenueData {
  const clock = new VirtualClock(sample.nowMs);
  return VenueData.open({
    database,
    config: {
      markets: [testMarket()],
      accounts: new Map([1, 2, 3].map((at) => [testAddress(at), funds("100", "200000")])),
      tokens: [ETH, USDT],
      nativeToken: undefined,
      faucet: new Map<TokenId, ReturnType<typeof fixed>>([[USDT, fixed("1000")]]),
    },
    clock,
    timer: clock,
    log: silentLog,
    publish: () => undefined,
    failed: () => expect.unreachable(),
  });
}

/** The parts of an exchange, with results reduced to the fields that both formats have. */
function stateOf(parts: Readonly<Record<string, readonly unknown[]>>): Record<string, unknown[]> {
  const state: Record<string, unknown[]> = {};
  for (const [name, rows] of Object.entries(parts)) {
    state[name] = rows.map((row) => {
      if (name !== "answers") return row;
      const { txHash, rejected } = row as { readonly txHash: string; readonly rejected?: string };
      return { txHash, rejected };
    });
  }
  return state;
}

function saved({ exchange }: VenueData): Record<string, unknown[]> {
  const parts = exchange.save().map((part) => {
    const rows = Array.from({ length: part.size }, (_, at) => part.row(at));
    return [part.name, JSON.parse(JSON.stringify(rows)) as unknown[]] as const;
  });
  return stateOf(Object.fromEntries(parts));
}

describe("a dataDir of format 1", () => {
  test("has signed and unsigned actions of every kind after its snapshot", () => {
    const lines = (sample.tables["groups"] ?? []).flatMap(({ actions }) =>
      String(actions).split("\n"),
    );
    const kinds = lines.map((line) => {
      const { type, transaction } = JSON.parse(line) as {
        readonly type: string;
        readonly transaction?: { readonly command: { readonly name: string } };
      };
      return transaction === undefined ? type : `${type} ${transaction.command.name}`;
    });
    expect(new Set(kinds)).toEqual(
      new Set([
        "submit order",
        "submit stop",
        "submit cancel",
        "submit cancel-all",
        "submit modify",
        "submit session",
        "submit transfer",
        "submit token-transfer",
        "submit withdraw",
        "place",
        "cancel",
        "cancel-all",
        "modify",
        "transfer",
        "withdraw",
        "settle-withdrawal",
        "retry-withdrawal",
        "deposit",
        "see",
        "flow-depth",
        "flow-trade",
        "clear-flows",
      ]),
    );
    expect(sample.tables["images"]).toHaveLength(1);
  });

  test("restores the exchange that wrote it", () => {
    const data = open(sampleFile());
    const started = saved(data);
    const before = stateOf(sample.state);
    // A start takes the recorded flow of the previous run off the books, in a block of its own.
    for (const part of ["head", "flows", "market/1_2", "queues/1_2"]) {
      expect(before[part]).not.toEqual([]);
      before[part] = [];
      started[part] = [];
    }
    // The order in which histories grew is a part that this version does not have yet.
    for (const part of ["history-order", "transfer-order"]) {
      expect(before[part]).toBeUndefined();
      Reflect.deleteProperty(started, part);
    }
    // An account without executions had an empty part of its own.
    for (const [part, rows] of Object.entries(before)) {
      const isEmpty = part.startsWith("user-trades/") && Array.isArray(rows) && rows.length === 0;
      if (isEmpty) Reflect.deleteProperty(before, part);
    }
    expect(started).toEqual(before);
    data.close();
  });

  test("gives repeated bytes their old result, accepts new commands, and can be read again", () => {
    const file = sampleFile();
    const first = open(file);
    const known = sample.state["answered-hashes"]?.[0] as OrderId;
    const command = { name: "cancel-all", context: { l1owner: testAddress(1) } } as const;
    const signer = testAddress(1);
    const again = transactionOf({
      signer,
      txHash: known,
      nonce: NOW,
      command,
    });
    const block = first.exchange.blockNumber;
    expect(first.exchange.submit(again, first.createdAtMs)).toMatchObject({
      type: "accepted",
      txHash: known,
    });
    expect(first.exchange.blockNumber).toBe(block);
    const next = transactionOf({ signer, txHash: testHash(1), nonce: sample.nowMs, command });
    expect(first.exchange.submit(next, first.createdAtMs)).toMatchObject({ type: "accepted" });
    first.commits.settle();
    const after = saved(first);
    // A kill, not an ordered end: the new action stands behind the old ones.
    const second = open(crashed(file));
    // Except for the number of blocks: each start adds one that clears recorded flow.
    expect({ ...saved(second), head: [] }).toEqual({ ...after, head: [] });
    second.close();
  });

  test("stays one that its own version can open when it cannot be read", () => {
    const file = sampleFile();
    const written = createDatabaseOpener().open(file);
    written.exec("UPDATE groups SET block = 7");
    written.close();
    const database = createDatabaseOpener().open(file);
    expect(() => open(file, database)).toThrow(
      expect.objectContaining({ code: "DATA_DIR_DIVERGED" }),
    );
    const rows = [...database.prepare("SELECT value FROM facts WHERE name = 'format'").rows()];
    database.close();
    expect(rows).toEqual([{ value: "1" }]);
  });
});
