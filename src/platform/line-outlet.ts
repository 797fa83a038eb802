import fs from "node:fs";

/** Bytes of lines that may wait while nothing can be written, as on a full disk; later lines are lost. */
const MAX_WAITING = 1_048_576;
/** Waiting lines are tried again this often, even if no new line comes. */
const RETRY_MS = 200;
/** At the end of the process, a slow reader has this long to take what waits. */
const LAST_WAIT_MS = 500;
const LAST_WAIT_STEP_MS = 20;

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;

/**
 * Writes lines synchronously, so that a crash loses none, but waits for no reader: what a full disk, a pipe that nobody reads or a
 * stopped terminal does not take is written later. Throws nothing.
 */
export class LineOutlet {
  readonly #descriptor: number;
  readonly #lostText: (lines: number) => string;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #isRetrying = false;

  /** `lostText` makes the line that says how many were lost; it follows those that waited. */
  constructor(descriptor: number, lostText: (lines: number) => string) {
    this.#descriptor = withoutWaiting(descriptor);
    this.#lostText = lostText;
  }

  write(line: string): void {
    this.#flush();
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#keep(bytes);
    this.#flush();
    if (this.#waiting.length > 0) this.#retryLater();
  }

  #keep(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
  }

  #flush(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) {
        if (this.#lost === 0) return;
        this.#keep(Buffer.from(this.#lostText(this.#lost)));
        this.#lost = 0;
        continue;
      }
      const written = this.#writeSome(first);
      if (written === 0) return;
      this.#waitingBytes -= written;
      if (written === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(written);
    }
  }

  #writeSome(bytes: Buffer): number {
    try {
      return fs.writeSync(this.#descriptor, bytes);
    } catch {
      return 0;
    }
  }

  #retryLater(): void {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    setTimeout(() => {
      this.#isRetrying = false;
      this.#flush();
      if (this.#waiting.length > 0) this.#retryLater();
    }, RETRY_MS).unref();
  }

  /** Blocks until what waits is written, at most for half a second: for the end of the process. */
  flushAtLast(): void {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waitedMs = 0; ; waitedMs += LAST_WAIT_STEP_MS) {
      this.#flush();
      if (this.#waiting.length === 0 || waitedMs >= LAST_WAIT_MS) return;
      Atomics.wait(pause, 0, 0, LAST_WAIT_STEP_MS);
    }
  }
}

/**
 * The same place, such that a write to a full pipe or a stopped terminal fails instead of waiting. It is opened anew, since other
 * processes share the flags of the descriptor itself; where that is impossible, it is returned as it is.
 */
export function withoutWaiting(descriptor: number): number {
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFIFO() && !stats.isCharacterDevice()) return descriptor;
    return fs.openSync(`/dev/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return descriptor;
  }
}
