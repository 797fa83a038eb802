import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { destination, pino } from "pino";
import { fixed, fixedText, ZERO } from "../../src/domain/fixed.ts";
import type { Fill } from "../../src/domain/order.ts";
import type { MarketId, OrderId, TokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Effect } from "../../src/kernel/effect.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Timer, TimerHandle } from "../../src/ports/clock.ts";
import { silentLog } from "../../src/ports/log.ts";
import { entryLog } from "../../src/runtime/log-entries.ts";
import { type ObservedEntry, Observers } from "../../src/runtime/observers.ts";
import type { BenchCase, SampledSide } from "../bench-case.ts";

/** Fills that are reported between two turns of the event loop. */
const TURN = 64;

const never: TimerHandle = { cancel: () => undefined };
const timer: Timer = { soon: () => never, after: () => never };

/**
 * G13, log part: what it costs to report a fill, with the same line in a file on both sides. Ours puts what the step has made anyway into
 * the observers' ring, and the line is written on a later turn, by the logger of a live bot. The peer writes it at once with pino, in its
 * fastest form inside the process: to a file, buffered. The first two sides are measured until the next frame can be handled, the third
 * until our line is written as well.
 */
export const logLine: BenchCase = {
  goal: "G13",
  title: "one log line on the hot path",
  unit: "us",
  async prepare() {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-bench-"));
    const ours = path.join(folder, "ours.log");
    const theirs = path.join(folder, "theirs.log");
    const observers = new Observers({ timer, log: silentLog });
    const log = createLog({ descriptor: openSync(ours, "a", 0o600) });
    observers.on(entryLog(log, [{ marketId: "1_2" as MarketId, ticker: "ETH/USDT" }]));
    const offer = (): void => {
      for (const entry of entries) observers.offer(entry);
    };
    const write = (): void => observers.flush();

    const stream = destination({ dest: theirs, sync: true, minLength: 4_096 });
    const logger = pino({ base: null }, stream);
    const logAtOnce = (): void => {
      for (const line of lines) logger.info(line, "fill");
    };

    offer();
    write();
    logAtOnce();
    stream.flushSync();
    const difference = differenceOf(linesOf(ours), linesOf(theirs));
    return {
      sides: [
        turns("observer ring, the line is written later", offer, write),
        turns("pino to a file, buffered", logAtOnce, () => stream.flushSync()),
        turns(
          "observer ring and its line",
          () => {
            offer();
            write();
          },
          () => undefined,
        ),
      ],
      check() {
        if (observers.dropped > 0) return `${observers.dropped} entries were dropped`;
        return difference;
      },
      close() {
        stream.destroy();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** One sample is a turn's mean; `rest` follows outside of the measured time. */
function turns(name: string, work: () => void, rest: () => void): SampledSide {
  return {
    name,
    samplesPerRound: 500,
    samplesToWarm: 500,
    sample(samplesUs) {
      for (let at = 0; at < samplesUs.length; at += 1) {
        const start = performance.now();
        work();
        samplesUs[at] = ((performance.now() - start) * 1000) / TURN;
        rest();
      }
    },
  };
}

const strategy = "maker";
const noEffects: readonly Effect[] = [];
const fills: readonly Fill[] = Array.from({ length: TURN }, (_, at) => ({
  tradeId: `t${at}`,
  orderId: `0x${at.toString(16).padStart(64, "0")}` as OrderId,
  marketId: "1_2" as MarketId,
  side: at % 2 === 0 ? "BUY" : "SELL",
  price: fixed(`2517.${at}1`),
  quantity: fixed(`0.${at + 10}1`),
  fee: fixed("0.0001"),
  feeToken: "1" as TokenId,
  isMaker: true,
  timeMs: unixMs(1_700_000_000_000 + at),
}));
/** The entries that steps hand to the observers. The steps have made all that is in them. */
const entries: readonly ObservedEntry[] = fills.map((fill, at) => ({
  batch: { seq: at + 1, nowMs: fill.timeMs, inputs: [] },
  effects: noEffects,
  notes: [
    {
      type: "fill",
      strategy,
      intent: at + 1,
      role: "quote",
      paramsVersion: 1,
      fill,
      position: ZERO,
    },
  ],
  tickToOrder: [],
}));
/** What the peer logs. Its amounts are texts already. */
const lines: readonly object[] = fills.map((fill, at) => ({
  seq: at + 1,
  strategy,
  marketId: fill.marketId,
  ticker: "ETH/USDT",
  side: fill.side,
  price: fixedText(fill.price),
  quantity: fixedText(fill.quantity),
  fee: fixedText(fill.fee),
  feeToken: "ETH",
  position: "0",
  isMaker: fill.isMaker,
  orderId: fill.orderId,
}));

function linesOf(file: string): readonly unknown[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => ({ ...(JSON.parse(line) as object), time: undefined }));
}

function differenceOf(ours: readonly unknown[], theirs: readonly unknown[]): string | undefined {
  if (ours.length !== TURN || theirs.length !== TURN) return "a line is missing";
  const at = ours.findIndex(
    (line, index) => JSON.stringify(line) !== JSON.stringify(theirs[index]),
  );
  return at < 0
    ? undefined
    : `line ${at}: ${JSON.stringify(ours[at])} and ${JSON.stringify(theirs[at])}`;
}
