import { setTimeout } from "node:timers/promises";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { exitCode } from "./exit-code.ts";

/** Includes SIGHUP and SIGQUIT: a terminal that is closed, or Ctrl-\ in it, must not leave a bot's orders behind. */
export const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Signal handling of a command. If the command ends by a signal, the first one aborts `stop` and the command shuts down. A second
 * signal, or any signal to another command, exits the process with 130. Ctrl-C needs no listener where nothing is printed for it: the system
 * then ends the process, even in a strategy that loops, and the launcher exits with 130.
 */
export class Interrupt {
  readonly #controller = new AbortController();
  readonly #endsBySignal: boolean;
  readonly #exit: (code: number) => void;
  readonly #listener = (signal: NodeJS.Signals): void => {
    if (signal === "SIGHUP" && this.#hangup !== undefined) this.#hangup();
    else this.#signaled(signal);
  };
  /** Who ended the command; undefined while nobody has, and when the program does itself. */
  by: CommandOrigin | undefined;
  #beforeExit: (() => void) | undefined;
  #hangup: (() => void) | undefined;

  constructor(endsBySignal: boolean, exit: (code: number) => void) {
    this.#endsBySignal = endsBySignal;
    this.#exit = exit;
    for (const signal of endingSignals) {
      if (endsBySignal || signal !== "SIGINT") process.on(signal, this.#listener);
    }
  }

  /** Aborts when the command must end. */
  get stop(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the command like a signal, for instance when its output is no longer read. */
  request(by?: CommandOrigin): void {
    this.by ??= by;
    this.#controller.abort();
  }

  /** Waits for so long, or until the command must end. */
  async pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.stop }).catch(() => undefined);
  }

  /** Resolves when the command must end, or `other` aborts, or `durationMs` after the process started. */
  async ended(durationMs?: number, other: AbortSignal = this.stop): Promise<void> {
    const ends = AbortSignal.any([this.stop, other]);
    if (ends.aborted) return;
    await new Promise<void>((resolve) => {
      const timer =
        durationMs === undefined
          ? // Keeps the process alive.
            setInterval(() => undefined, 60_000)
          : globalThis.setTimeout(
              () => this.request(),
              Math.max(0, durationMs - performance.now()),
            );
      ends.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Registers what to print before a signal exits the process, about a command already begun. */
  beforeExit(report: (() => void) | undefined): void {
    this.#beforeExit = report;
    if (this.#endsBySignal) return;
    process.off("SIGINT", this.#listener);
    if (report !== undefined) process.on("SIGINT", this.#listener);
  }

  /** Registers what SIGHUP means to a process without a terminal. In one it says that the terminal was closed. */
  onHangup(hangup: () => void): void {
    if (!process.stdin.isTTY && !process.stdout.isTTY) this.#hangup = hangup;
  }

  /** Removes the signal handlers. */
  close(): void {
    for (const signal of endingSignals) process.off(signal, this.#listener);
  }

  #signaled(signal: NodeJS.Signals): void {
    if (this.#endsBySignal && !this.stop.aborted) this.request({ who: "signal", from: signal });
    else {
      this.#beforeExit?.();
      this.#exit(exitCode.interrupted);
    }
  }
}
