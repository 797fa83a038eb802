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
    // As long as all would have taken at the pace since this start.
    const passedMs = done > reused ? ((nowMs - this.#startMs) * done) / (done - reused) : 0;
    const title = `${String(done).padStart(String(total).length)}/${total}`;
    this.#stream.write(`\r${barText(title, done / total, passedMs)}`);
  }

  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[2K");
  }
}
