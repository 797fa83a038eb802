/** A span of time of a recording in Unix milliseconds, both ends included. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Parameters are chosen on `train` and tested on `test`. */
export interface WalkForwardWindow {
  readonly train: Span;
  readonly test: Span;
}

export interface WalkForwardLengths {
  /** In milliseconds. */
  readonly train: number;
  readonly test: number;
  /** Time between train and test that is in neither. */
  readonly purge: number;
}

/**
 * The windows of a recording, each moved by the length of a test, so that the tests follow each other without a gap and without overlap.
 * What is too short for a whole test at the end is left out; empty when the recording is shorter than one window.
 */
export function walkForwardWindows(
  { fromMs, toMs }: Span,
  { train, test, purge }: WalkForwardLengths,
): readonly WalkForwardWindow[] {
  const windows: WalkForwardWindow[] = [];
  for (let startMs = fromMs; ; startMs += test) {
    const testMs = startMs + train + purge;
    if (testMs + test - 1 > toMs) return windows;
    windows.push({
      train: { fromMs: startMs, toMs: startMs + train - 1 },
      test: { fromMs: testMs, toMs: testMs + test - 1 },
    });
  }
}
