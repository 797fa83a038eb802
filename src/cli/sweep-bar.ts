import type { SweepProgress } from "../sweep/run-sweep.ts";
import { type BarStream, barText } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

const REDRAW_MS = 100;

/** Progress of a sweep on stderr with an estimate of its end; nothing is drawn with `--json` or without a terminal. */
export class SweepBar {
  readonly #stream: BarStream;
  readonly #isShown: boolean;
  readonly #startMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #progress: SweepProgress = { done: 0, total: 0, reused: 0 };

  constructor(terminal: Terminal, stream: BarStream = process.stderr) {
    this.#stream = stream;
    this.#isShown = stream.isTTY === true && !terminal.json;
  }

  /** `12 of 40 replays are done.` */
  get text(): string {
    return `${this.#progress.done} of ${this.#progress.total} replays are done.`;
  }

  draw(progress: SweepProgress): void {
    this.#progress = progress;
    const nowMs = performance.now();
    if (!this.#isShown || nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    const { done, total, reused } = progress;
    // Replays of an earlier start say nothing about the time that is left.
    const share = (done - reused) / Math.max(1, total - reused);
    const bar = barText(`${done}/${total}`, share, nowMs - this.#startMs);
    this.#stream.write(`\r\u001b[2K${bar}`);
  }

  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[2K");
  }
}
