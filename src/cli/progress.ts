import { setImmediate } from "node:timers/promises";
import type { Steps } from "../recordings/steps.ts";
import type { Terminal } from "./terminal.ts";

/** A stream that a bar can be drawn on. */
export interface BarStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What is done sooner needs no bar. */
const QUIET_MS = 300;
const REDRAW_MS = 100;
/** Signals are handled between steps; they wait at most this long. */
const DEAF_MS = 50;
const WIDTH = 30;

/**
 * Does long work step by step, so that signals are handled, with a progress bar on stderr: none with
 * `--json`, none without a terminal. Drawn by hand: clack's takes the keyboard, and ends the process with 0 at Ctrl-C.
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
        stream.write(`\r${barText(title, step.value)}`);
        isDrawn = true;
        drawnMs = nowMs;
      }
      if (nowMs - pausedMs < DEAF_MS) continue;
      await setImmediate();
      pausedMs = performance.now();
    }
  } finally {
    if (isDrawn) stream.write("\r\u001b[2K");
  }
}

/** `importing  ███████░░░  70%`; the same width for every share. */
export function barText(title: string, share: number): string {
  const done = Math.min(1, Math.max(0, share));
  const full = Math.floor(done * WIDTH);
  const percent = String(Math.floor(done * 100)).padStart(3);
  return `${title}  ${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent}%`;
}
