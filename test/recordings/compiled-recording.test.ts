import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, resolve } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { TouchlineError } from "../../src/base/error.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { ByteWriter } from "../../src/recordings/columns/byte-writer.ts";
import { ColumnBlock } from "../../src/recordings/columns/column-block.ts";
import { readFooter } from "../../src/recordings/columns/column-file.ts";
import { openCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import { eventKind } from "../../src/recordings/columns/event-kind.ts";
import { fileInMemory } from "../../src/recordings/columns/new-columns.ts";
import { eventLine } from "../../src/recordings/event-line.ts";
import type { RecordedEvent } from "../../src/recordings/recorded-event.ts";
import { Recording } from "../../src/recordings/recording.ts";
import type { RecordingIo } from "../../src/recordings/recording-io.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { markets, writeRecording } from "./random-recording.ts";
import { io } from "./shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

vi.setConfig({ testTimeout: 60_000 });

const sample = resolve(import.meta.dirname, "../../config/recordings/zilusdt");
const ZIL = marketId("ZIL", "USDT");
const folder = temporaryFolder();
let copies = 0;

/** A copy of the sample recording without its compiled form. */
function copyOfSample(): string {
  copies += 1;
  const out = `${folder}/${copies}`;
  mkdirSync(out);
  for (const name of readdirSync(sample)) {
    if (name !== "compiled") copyFileSync(`${sample}/${name}`, `${out}/${name}`);
  }
  return out;
}

/** Opens the compiled form, and returns what was said and the events. */
function open(out: string, used: RecordingIo = io) {
  const said: string[] = [];
  const recording = new Recording(used, out);
  const compiled = runAll(openCompiled(recording, [ZIL], (sentence) => said.push(sentence)));
  const events = [...compiled.replayEvents(ZIL)];
  compiled.close();
  return { said, events };
}

const events = [...new Recording(io, sample).replayEvents(ZIL)];
const fileOf = (out: string): string => `${out}/compiled/ZIL_USDT.columns`;

describe("the compiled form of a recording", () => {
  test("is kept beside the text, readable to its owner only, and used by the next start", () => {
    const out = copyOfSample();
    expect(open(out)).toEqual({ said: [], events });
    expect(statSync(fileOf(out)).mode & 0o777).toBe(0o600);
    expect(statSync(`${out}/compiled`).mode & 0o777).toBe(0o700);
    expect(readdirSync(`${out}/compiled`)).toEqual(["ZIL_USDT.columns"]);
    const { ino } = statSync(fileOf(out));
    expect(open(out)).toEqual({ said: [], events });
    expect(statSync(fileOf(out)).ino).toBe(ino);
  });

  test("leaves nothing beside a folder that has its name", () => {
    const out = copyOfSample();
    mkdirSync(fileOf(out), { recursive: true });
    expect(open(out).events).toEqual(events);
    expect(readdirSync(`${out}/compiled`)).toEqual(["ZIL_USDT.columns"]);
  });

  test("is read without the text", () => {
    const out = copyOfSample();
    open(out);
    const read: string[] = [];
    const store = { ...io.store, read: (path: string) => (read.push(path), io.store.read(path)) };
    expect(open(out, { ...io, store }).events).toEqual(events);
    expect(read).toEqual([`${out}/manifest.json`]);
  });

  test("is built again when the manifest says otherwise whether the source has ids, which decides where a gap is", () => {
    const out = copyOfSample();
    expect(open(out).events).toEqual(events);
    const manifest = `${out}/manifest.json`;
    const changed = JSON.parse(readFileSync(manifest, "utf8")) as { markets: object[] };
    changed.markets = changed.markets.map((market) => ({ ...market, ids: "made" }));
    writeFileSync(manifest, JSON.stringify(changed));
    expect(open(out)).toEqual({
      said: ["The compiled form of ZIL_USDT is older than the recording; it is built again."],
      events: [...new Recording(io, out).replayEvents("ZIL_USDT")],
    });
    expect(open(out).said).toEqual([]);
  });

  test("is built again when the text has changed, and says so once", () => {
    const out = copyOfSample();
    open(out);
    const last = events.at(-1);
    const more: RecordedEvent = {
      type: "trade",
      atUs: Math.round((last?.atMs ?? 0) * 1000) + 1,
      marketId: ZIL,
      timeMs: unixMs(Math.floor(last?.atMs ?? 0)),
      tradeId: "999",
      price: "0.1",
      quantity: "1",
      isBuyerMaker: true,
    };
    writeFileSync(`${out}/events-0002.ndjson`, eventLine(more));
    const after = open(out);
    expect(after.said).toEqual([
      "The compiled form of ZIL_USDT is older than the recording; it is built again.",
    ]);
    expect(after.events).toHaveLength(events.length + 1);
    expect(open(out)).toEqual({ said: [], events: after.events });
  });

  test("warns at every start that the end of the text is missing, also when no line of it is left", () => {
    for (const kept of [2, 1000]) {
      const out = copyOfSample();
      const name = readdirSync(out).find((each) => each.startsWith("events-")) ?? "";
      const bytes = readFileSync(`${out}/${name}`);
      writeFileSync(`${out}/${name}`, bytes.subarray(0, Math.floor(bytes.length / kept)));
      const said = [
        `${name} of the recording is cut off: its end is missing (touchline recording check).`,
      ];
      const first = open(out);
      expect(first.said).toEqual(said);
      expect(first.events.length).toBeLessThan(events.length);
      expect(open(out)).toEqual(first);
    }
  });

  test.each(["written anew", "replaced by a file of the same time"])(
    "is built again when the text has changed but not its size: %s",
    (kind) => {
      const out = copyOfSample();
      open(out);
      const text = `${out}/${readdirSync(out).find((name) => name.startsWith("events-"))}`;
      const plain = zstdDecompressSync(readFileSync(text)).toString();
      rmSync(text);
      writeFileSync(`${out}/events-0001.ndjson`, plain);
      // A whole second, as archives have it.
      utimesSync(`${out}/events-0001.ndjson`, 1_700_000_000, 1_700_000_000);
      const before = open(out);
      const changed = plain.replace(/"quantity":"\d/, '"quantity":"9');
      expect(changed).not.toBe(plain);
      expect(changed).toHaveLength(plain.length);
      const { atime, mtime } = statSync(`${out}/events-0001.ndjson`);
      writeFileSync(`${out}/events-0001.ndjson`, changed);
      if (kind !== "written anew") utimesSync(`${out}/events-0001.ndjson`, atime, mtime);
      const after = open(out);
      expect(after.said).toHaveLength(1);
      expect(after.events).not.toEqual(before.events);
    },
  );

  test("is used when the folder was copied, although the times of its files are new", () => {
    const out = copyOfSample();
    open(out);
    const copy = `${folder}/copied`;
    cpSync(out, copy, { recursive: true });
    for (const name of readdirSync(copy)) utimesSync(`${copy}/${name}`, 1, 1);
    const { ino } = statSync(fileOf(copy));
    expect(open(copy)).toEqual({ said: [], events });
    expect(statSync(fileOf(copy)).ino).toBe(ino);
  });

  test("of a copy costs a hash of the text once for all replays of a process", () => {
    const out = copyOfSample();
    open(out);
    const copy = `${folder}/hashed-once`;
    cpSync(out, copy, { recursive: true });
    const read: string[] = [];
    const store = { ...io.store, read: (path: string) => (read.push(path), io.store.read(path)) };
    const recording = new Recording({ ...io, store }, copy);
    const openAgain = () => {
      read.length = 0;
      const said: string[] = [];
      runAll(openCompiled(recording, [ZIL], (sentence) => said.push(sentence))).close();
      return { said, read: [...read] };
    };
    expect(openAgain().read).toEqual(recording.segments().map((name) => `${copy}/${name}`));
    expect(openAgain()).toEqual({ said: [], read: [] });
    for (const name of recording.segments()) writeFileSync(`${copy}/${name}`, "");
    expect(openAgain().said).toHaveLength(1);
  });

  test("is built again when any of its bytes is damaged or missing", () => {
    const out = copyOfSample();
    open(out);
    const whole = new Uint8Array(readFileSync(fileOf(out)));
    const isWhole = (bytes: Uint8Array): boolean => {
      try {
        return readFooter(fileInMemory(bytes), io.compression) !== undefined;
      } catch {
        return false;
      }
    };
    expect(isWhole(whole)).toBe(true);
    const missed: string[] = [];
    for (let at = 0; at < whole.length; at += 1) {
      // All of the head and the end, and samples between.
      if (at > 200 && at < whole.length - 600 && at % 37 !== 0) continue;
      const byte = whole[at] ?? 0;
      whole[at] = byte ^ (1 << (at % 8));
      if (isWhole(whole)) missed.push(`byte ${at}`);
      whole[at] = byte;
      if (isWhole(whole.subarray(0, at))) missed.push(`cut at ${at}`);
    }
    expect(missed).toEqual([]);
    for (const damage of [
      (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2),
      (bytes: Uint8Array) => bytes.fill(0, 1000, 1010),
      () => new Uint8Array(),
    ]) {
      writeFileSync(fileOf(out), damage(Uint8Array.from(whole)));
      expect(open(out)).toEqual({
        said: [
          "The compiled form of ZIL_USDT is damaged or of another version; it is built again.",
        ],
        events,
      });
      expect(open(out)).toEqual({ said: [], events });
    }
  });

  /** A block with one book, whose bids are as many as it says; `counts` are those of its events and levels. */
  function forgedBlock(counts: readonly [number, number], bids: number, kindBytes = 1): Uint8Array {
    const of = (...numbers: readonly number[]): Uint8Array => {
      const writer = new ByteWriter();
      for (const number of numbers) writer.whole(number);
      return writer.bytes;
    };
    const columns = [of(eventKind.book), of(0, 0), of(0, 4 * bids, 0), of(2), of(2), of(), of()];
    const [, ...sizes] = columns.map(({ length }) => length);
    const head = of(...counts, 0, 1, 0, 1, 1, kindBytes, ...sizes);
    return Uint8Array.from([head, ...columns].flatMap((bytes) => [...bytes]));
  }

  test("that claims more than it has is refused in one sentence", () => {
    const decode = (block: Uint8Array) => (): void => new ColumnBlock().decode(block);
    expect(decode(forgedBlock([1, 1], 1))).not.toThrow();
    const many = 2 ** 45;
    for (const block of [
      forgedBlock([many, 1], 1),
      forgedBlock([1, many], 1),
      forgedBlock([many, 1], 1, many),
      forgedBlock([1, 1], many),
    ]) {
      expect(decode(block)).toThrow(
        expect.objectContaining({
          code: "RECORDING_INVALID",
          hint: expect.stringContaining("compiled"),
        }),
      );
    }
  });

  test("of another version of the format is built again", () => {
    const out = copyOfSample();
    open(out);
    const bytes = readFileSync(fileOf(out));
    bytes.write("00", 6);
    bytes.write("00", bytes.length - 2);
    writeFileSync(fileOf(out), bytes);
    expect(open(out).said).toHaveLength(1);
    expect(open(out)).toEqual({ said: [], events });
  });

  test("is built in memory where the folder cannot be written", () => {
    const out = copyOfSample();
    writeFileSync(`${out}/compiled`, "in the way");
    const { said, events: found } = open(out);
    expect(found).toEqual(events);
    expect(said.at(-1)).toMatch(/^Cannot write to .*ZIL_USDT\.columns: .*compiled in memory/);
  });

  test.skipIf(process.platform === "win32")(
    "is built in memory where something else than a file has its name, and a pipe holds nothing back",
    () => {
      const things = {
        pipe: (place: string) => void execFileSync("mkfifo", [place]),
        folder: (place: string) => mkdirSync(place),
        "link to itself": (place: string) => symlinkSync(basename(place), place),
      };
      for (const [what, make] of Object.entries(things)) {
        const out = copyOfSample();
        mkdirSync(`${out}/compiled`);
        make(fileOf(out));
        const { said, events: found } = open(out);
        expect(found, what).toEqual(events);
        expect(said, what).toEqual([
          expect.stringMatching(/^The compiled form of ZIL_USDT cannot be read/),
          expect.stringMatching(/^Cannot write to .*: it is not a plain file.*compiled in memory/),
        ]);
      }
    },
  );

  test.skipIf(process.platform === "win32")("is used through symbolic links", () => {
    const out = copyOfSample();
    open(out);
    const away = `${folder}/away`;
    cpSync(`${out}/compiled`, away, { recursive: true });
    rmSync(`${out}/compiled`, { recursive: true });
    symlinkSync(away, `${out}/compiled`);
    expect(open(out)).toEqual({ said: [], events });
  });

  test("is built in memory when the disk is full, and nothing is left behind", () => {
    const out = copyOfSample();
    let room = 10_000;
    const store = {
      ...io.store,
      openReplacement(path: string) {
        const file = io.store.openReplacement(path);
        return {
          append(bytes: Uint8Array) {
            room -= bytes.length;
            if (room < 0) throw new TouchlineError("WRITE_FAILED", "The disk is full.");
            file.append(bytes);
          },
          commit: () => file.commit(),
          discard: () => file.discard(),
        };
      },
    };
    expect(open(out, { ...io, store })).toEqual({
      said: ["The disk is full. The recording is compiled in memory, and again at the next start."],
      events,
    });
    expect(readdirSync(`${out}/compiled`)).toEqual([]);
  });

  test("is built in memory when what was written reads back damaged, and that is never used", () => {
    const out = copyOfSample();
    const store = {
      ...io.store,
      openRead(path: string) {
        const file = io.store.openRead(path);
        if (file === undefined || !path.endsWith(".columns")) return file;
        const damaged = (into: Uint8Array, at: number): void => {
          file.read(into, at);
          into.fill(0);
        };
        return { size: file.size, read: damaged, close: () => file.close() };
      },
    };
    for (const start of [1, 2]) {
      const { said, events: found } = open(out, { ...io, store });
      expect([start, found]).toEqual([start, events]);
      expect(said.at(-1)).toMatch(/reads back damaged. The recording is compiled in memory/);
    }
  });

  test("is right for both when two build it at once", () => {
    const out = `${folder}/twice`;
    const [market] = markets;
    const trades = Array.from({ length: 12_000 }, (_, at): RecordedEvent => {
      const atUs = 1_700_000_000_000_000 + at * 1000;
      const price = String(100 + (at % 7));
      const times = { atUs, timeMs: unixMs(atUs / 1000) };
      const trade = { tradeId: String(at), price, quantity: "1", isBuyerMaker: at % 2 === 0 };
      return { type: "trade", marketId: market, ...times, ...trade };
    });
    writeRecording(out, trades);
    const expected = [...new Recording(io, out).replayEvents(market)];
    const said: string[] = [];
    const runs = [1, 2].map(() =>
      openCompiled(new Recording(io, out), [market], (sentence) => said.push(sentence)),
    );
    const found: unknown[] = [];
    // Step by step in turns.
    while (found.length < runs.length) {
      for (const run of runs) {
        const step = run.next();
        if (step.done !== true || step.value === undefined) continue;
        found.push([...step.value.replayEvents(market)]);
        step.value.close();
      }
    }
    expect(found).toEqual([expected, expected]);
    expect(said).toEqual([]);
    expect(readdirSync(`${out}/compiled`)).toEqual([`${market}.columns`]);
  });

  test("of a recording whose text is damaged is not kept", () => {
    const out = copyOfSample();
    writeFileSync(`${out}/events-0009.ndjson`, "nonsense\n");
    expect(() => open(out)).toThrow(/events-0009\.ndjson, line 1/);
    expect(readdirSync(`${out}/compiled`)).toEqual([]);
  });
});
