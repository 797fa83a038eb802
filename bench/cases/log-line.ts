import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { destination, pino } from "pino";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Timer, TimerHandle } from "../../src/ports/clock.ts";
import { type ObservedEntry, Observers } from "../../src/runtime/observers.ts";
import type { BenchCase } from "../bench-case.ts";

/** Entries between two turns of the event loop; listeners run once per turn. */
const TURN = 64;

const never: TimerHandle = { cancel: () => undefined };
const timer: Timer = { soon: () => never, after: () => never };
const quiet = (): void => undefined;

/**
 * G13, log part: the cost for the hot path of reporting how many quotes were kept, until the next frame can be handled. Ours puts what the
 * step has made anyway into the observers' ring, and a listener takes it out on a later turn, which is measured too. The peer
 * writes a line with pino, in its fastest form inside the process: to a file, buffered. The reports of both sides are compared.
 */
export const logLine: BenchCase = {
  goal: "G13",
  title: "one log line on the hot path",
  unit: "us",
  async prepare() {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const observers = new Observers({ timer, log });
    let observed = 0;
    let observedCounts = 0;
    observers.on(({ notes }) => {
      for (const note of notes) {
        if (note.type !== "kept") continue;
        observed += 1;
        observedCounts += note.count;
      }
    });
    const runOurs = (iterations: number): void => {
      for (let seq = 1; seq <= iterations; seq += 1) {
        observers.offer(entryOf(seq));
        if (seq % TURN === 0) observers.flush();
      }
      observers.flush();
    };

    const file = path.join(folder, "peer.log");
    const stream = destination({ dest: file, sync: true, minLength: 4_096 });
    const logger = pino(stream);
    const runTheirs = (iterations: number): void => {
      for (let seq = 1; seq <= iterations; seq += 1) {
        logger.info({ strategy, count: seq }, "kept");
      }
      stream.flushSync();
    };

    const compared = 2_000;
    runOurs(compared);
    runTheirs(compared);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const counts = lines.reduce((sum, line) => sum + (JSON.parse(line) as Kept).count, 0);
    const isSame = observed === compared && lines.length === compared && observedCounts === counts;
    return {
      sides: [
        { name: "observer ring", run: runOurs },
        { name: "pino to a file, buffered", run: runTheirs },
      ],
      check() {
        if (observers.dropped > 0) return `${observers.dropped} entries were dropped`;
        return isSame ? undefined : "the sides did not tell the same";
      },
      close() {
        stream.destroy();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

interface Kept {
  readonly count: number;
}

const strategy = "maker";
const noEffects: readonly Effect[] = [];
const nowMs = unixMs(1_700_000_000_000);

/** The entry that a step hands to the observers. Apart from the entry, the step has made all of it already; here we are charged for it. */
function entryOf(seq: number): ObservedEntry {
  const note: Note = { type: "kept", strategy, count: seq };
  return {
    batch: { seq, nowMs, inputs: [] },
    effects: noEffects,
    notes: [note],
    tickToOrder: [],
  };
}
