/** Width of a span of the time since the last frame, and their number: a quarter of a second in all. */
const SPAN_US = 1_000;
const SPANS = 256;
/** A frame that is likely within this many spans from now is expected. */
const AHEAD = 2;
/** Frames after which the older half of what was seen counts half. */
const HALVE_AFTER = 256;

/**
 * Learns when frames come: how often a frame followed in each span of the time since the one before it. Venues push on a beat, so the
 * next frame is far more likely at some times than at others; where frames come at random, all times are alike.
 */
export class FrameRhythm {
  /** Frames that came in a span, and frames that had not come when it began. */
  readonly #came = new Float64Array(SPANS);
  readonly #awaited = new Float64Array(SPANS);
  /** Their sums. */
  #allCame = 0;
  #allAwaited = 0;
  #lastUs = Number.NaN;
  #frames = 0;

  /** Monotonic time of the newest frame; NaN before the first. */
  get lastUs(): number {
    return this.#lastUs;
  }

  frame(nowUs: number): void {
    const span = Math.floor((nowUs - this.#lastUs) / SPAN_US);
    this.#lastUs = nowUs;
    if (Number.isNaN(span)) return;
    const last = Math.min(span, SPANS - 1);
    for (let at = 0; at <= last; at += 1) this.#awaited[at] = (this.#awaited[at] ?? 0) + 1;
    this.#allAwaited += last + 1;
    if (span < SPANS) {
      this.#came[span] = (this.#came[span] ?? 0) + 1;
      this.#allCame += 1;
    }
    this.#frames += 1;
    if (this.#frames % HALVE_AFTER === 0) this.#halve();
  }

  /** Whether a frame is at least as likely soon as on average. */
  isExpected(nowUs: number): boolean {
    const span = Math.floor((nowUs - this.#lastUs) / SPAN_US);
    if (Number.isNaN(span) || span >= SPANS) return true;
    const mean = this.#allAwaited === 0 ? 0 : this.#allCame / this.#allAwaited;
    for (let at = span; at <= span + AHEAD; at += 1) if (this.#chance(at) >= mean) return true;
    return false;
  }

  /** The share of the frames that came in this span of those that had not come before it. */
  #chance(span: number): number {
    const awaited = this.#awaited[span] ?? 0;
    return awaited === 0 ? 1 : (this.#came[span] ?? 0) / awaited;
  }

  #halve(): void {
    for (let at = 0; at < SPANS; at += 1) {
      this.#came[at] = (this.#came[at] ?? 0) / 2;
      this.#awaited[at] = (this.#awaited[at] ?? 0) / 2;
    }
    this.#allCame /= 2;
    this.#allAwaited /= 2;
  }
}
