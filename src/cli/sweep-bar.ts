import type { SweepProgress } from "../sweep/run-sweep.ts";
import { type BarStream, barText } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { spanText } from "./time-text.ts";

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
    const fresh = done - reused;
    const leftMs = ((nowMs - this.#startMs) / Math.max(1, fresh)) * (total - done);
    const left = fresh > 0 && done < total ? `  ${spanText(leftMs)} left` : "";
    this.#stream.write(
      `\r\u001b[2K${barText(`${done}/${total}`, done / total, 0).trimEnd()}${left}`,
    );
  }

  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[2K");
  }
}
