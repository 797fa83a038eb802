import { setImmediate } from "node:timers/promises";
import type { Steps } from "../recordings/steps.ts";
import type { Terminal } from "./terminal.ts";
import { spanText } from "./time-text.ts";

/** A stream on which a progress bar can be drawn. */
export interface BarStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Work that takes less time gets no bar. */
const QUIET_MS = 300;
const REDRAW_MS = 100;
/** Signals are handled between steps, at least this often. */
const YIELD_MS = 50;
const WIDTH = 30;
/** Before that an estimate jumps. */
const ESTIMATE_FROM_MS = 1_000;
const LEFT_WIDTH = "about 100h 00m left".length;

/**
 * Runs long work step by step, so that signals are handled, with a progress bar on stderr. There is no bar with `--json` or without
 * a terminal. The bar is drawn by hand, since clack's would capture the keyboard and exit with 0 on Ctrl-C.
 */
export async function withProgress<Result>(
  terminal: Terminal,
  title: string,
  steps: Steps<Result>,
  stream: BarStream = process.stderr,
): Promise<Result> {
  const isShown = stream.isTTY === true && !terminal.json;
  const startMs = performance.now();
  let drawnMs = startMs + QUIET_MS - REDRAW_MS;
  let pausedMs = startMs;
  let isDrawn = false;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const nowMs = performance.now();
      if (isShown && nowMs - drawnMs >= REDRAW_MS) {
        stream.write(`\r${barText(title, step.value, nowMs - startMs)}`);
        isDrawn = true;
        drawnMs = nowMs;
      }
      if (nowMs - pausedMs < YIELD_MS) continue;
      await setImmediate();
      pausedMs = performance.now();
    }
  } finally {
    if (isDrawn) stream.write("\r\u001b[2K");
  }
}

/** `importing  ███████░░░  70%  about 1m 05s left`, always of the same width. The rest is estimated from the time so far. */
export function barText(title: string, share: number, passedMs: number): string {
  const done = Math.min(1, Math.max(0, share));
  const full = Math.floor(done * WIDTH);
  const percent = String(Math.floor(done * 100)).padStart(3);
  const bar = `${title}  ${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent}%`;
  const isKnown = passedMs >= ESTIMATE_FROM_MS && done > 0;
  const left = isKnown ? `about ${spanText((passedMs / done) * (1 - done))} left` : "";
  return `${bar}  ${left.padEnd(LEFT_WIDTH)}`;
}
