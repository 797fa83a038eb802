import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { nodeCompression } from "../../src/platform/compression.ts";
import { createStore } from "../../src/platform/store.ts";
import type { RecordingIo } from "../../src/recordings/recording-io.ts";

export const io: RecordingIo = { store: createStore(), compression: nodeCompression };

const shared = resolve(import.meta.dirname, "../../../shared/data");

/** The real recordings are outside the repository; tests that need them are skipped if they are missing. */
export const hasShared = existsSync(join(shared, "expected"));

/** A set of real recordings, its format and the name of its expected results. */
export interface SharedSet {
  readonly folder: string;
  readonly format: string;
  readonly name: string;
  /** Only files whose names start with this. */
  readonly files?: string;
  /** For files that contain more than the expected results cover. */
  readonly more?: {
    readonly depthEvents: number;
    readonly levelChanges: number;
    readonly trades: number;
    readonly timeJumps: number;
  };
}

const set01: SharedSet = {
  folder: "01-binance-spot-btcusdt-20240808",
  format: "binance-raw",
  name: "01-spot-btcusdt",
};

export const sets: readonly [SharedSet, ...SharedSet[]] = [
  set01,
  { folder: "02-binance-usdm-20240718", format: "binance-raw", name: "02-usdm" },
  {
    folder: "03-binance-spot-btcusdt-20230405",
    format: "binance-raw",
    name: "03-spot-btcusdt-nosnap",
  },
  {
    folder: "04-binance-spot-10-markets-20210405",
    format: "cryptofeed",
    name: "04-spot-10-markets",
  },
  { folder: "05-coinbase-btcusd-20180417", format: "coinbase-dump", name: "05-coinbase" },
  {
    folder: "06-binance-spot-trxusdt-20250304",
    format: "binance-csv",
    name: "06-trxusdt-coldstart",
    files: "test_positive",
    // The trades after the end of the depth; the time of the last depth row was edited.
    more: { depthEvents: 0, levelChanges: 0, trades: 10_000 - 1504, timeJumps: 1 },
  },
  {
    folder: "07-binance-spot-4-thin-markets-20211012",
    format: "cryptofeed",
    name: "07-spot-4-thin-markets",
  },
];

/** Set 06 with artificial defects. */
export const negativeSet: SharedSet = {
  folder: "06-binance-spot-trxusdt-20250304",
  format: "binance-csv",
  name: "06-trxusdt-coldstart",
  files: "test_negative",
};

export function filesOf(set: SharedSet): string[] {
  const folder = join(shared, set.folder);
  const names = readdirSync(folder).filter((name) => name.startsWith(set.files ?? ""));
  return names.map((name) => join(folder, name));
}

export interface Checkpoint {
  readonly n: number;
  readonly finalId: number;
  readonly [field: string]: unknown;
}

/** Expected checkpoints of a market by number of the applied event. */
export function checkpointsOf(set: SharedSet, symbol: string): Checkpoint[] {
  const packed = readFileSync(
    join(shared, "expected", `${set.name}.${symbol}.checkpoints.jsonl.gz`),
  );
  const lines = gunzipSync(packed).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Checkpoint);
}

export interface SetStats {
  readonly markets: Readonly<
    Record<
      string,
      {
        readonly counts: { readonly depth: number; readonly trade?: number };
        readonly depth: {
          readonly level_updates: number;
          readonly id_gaps: number;
          readonly duplicates: number;
        };
        readonly replay: {
          readonly applied: number;
          readonly crossed: number;
          readonly locked: number;
        };
        readonly trades?: { readonly messages: number; readonly id_gaps: number };
      }
    >
  >;
}

export function statsOf(set: SharedSet): SetStats {
  return JSON.parse(
    readFileSync(join(shared, "expected", `${set.name}.stats.json`), "utf8"),
  ) as SetStats;
}
