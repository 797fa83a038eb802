import { exitCode } from "./exit-code.ts";

/** SIGHUP too: a closed terminal must not leave a bot's orders behind. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * What signals mean to a command. One that ends by a signal is told by `stop` and takes its time; a second signal, or any
 * signal to another command, ends the process with 130.
 */
export class Interrupt {
  readonly #controller = new AbortController();
  readonly #endsBySignal: boolean;
  readonly #exit: (code: number) => void;
  readonly #listener = (): void => this.#signaled();
  #lastWords: (() => void) | undefined;

  constructor(endsBySignal: boolean, exit: (code: number) => void) {
    this.#endsBySignal = endsBySignal;
    this.#exit = exit;
    for (const signal of signals) process.on(signal, this.#listener);
  }

  /** Aborts when the command is asked to end. */
  get stop(): AbortSignal {
    return this.#controller.signal;
  }

  /** Asks the command to end as a signal would: its duration is over, or nobody reads its output any more. */
  request(): void {
    this.#controller.abort();
  }

  /** Resolves when the command is asked to end, or `durationMs` after the process started. */
  async ended(durationMs?: number): Promise<void> {
    if (this.stop.aborted) return;
    await new Promise<void>((resolve) => {
      const timer =
        durationMs === undefined
          ? // Keeps the process alive, whatever else it has to do.
            setInterval(() => undefined, 60_000)
          : setTimeout(() => this.request(), Math.max(0, durationMs - performance.now()));
      this.stop.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** What is said before a signal ends the process: what was begun and may be done all the same. */
  lastWords(say: (() => void) | undefined): void {
    this.#lastWords = say;
  }

  /** Signals are nobody's business any more. */
  close(): void {
    for (const signal of signals) process.off(signal, this.#listener);
  }

  #signaled(): void {
    if (this.#endsBySignal && !this.stop.aborted) this.request();
    else {
      this.#lastWords?.();
      this.#exit(exitCode.interrupted);
    }
  }
}
