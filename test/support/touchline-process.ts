import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Interrupt } from "../../src/cli/interrupt.ts";
import { runLine, runUntil } from "../cli/run-line.ts";

const bin = fileURLToPath(new URL("../../bin/touchline.js", import.meta.url));

export type Line = Readonly<Record<string, unknown>> & { readonly event: string };

/** The environment of a command in this process, whose log goes to the standard error of the tests. */
const here = (env: Readonly<Record<string, string>>) => ({
  ...process.env,
  TOUCHLINE_LOG: "error",
  ...env,
});

/** What a command that goes on has printed, and how it ends. */
abstract class RunningCommand {
  readonly lines: Line[] = [];
  readonly #waiting: { readonly event: string; readonly found: (line: Line) => void }[] = [];
  readonly #listening: { readonly text: string; readonly found: () => void }[] = [];
  #rest = "";
  #stderr = "";
  abstract readonly exit: Promise<number | null>;

  get stderr(): string {
    return this.#stderr;
  }

  /** The first line of this event, already printed or still to come. Rejects when the command ends without it. */
  line(event: string): Promise<Line> {
    const known = this.lines.find((line) => line.event === event);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, found: resolve });
      void this.#endedBefore(event).catch(reject);
    });
  }

  /** Resolves when standard error has this text, now or later. Rejects when the command ends without it. */
  said(text: string): Promise<void> {
    if (this.#stderr.includes(text)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#listening.push({ text, found: resolve });
      void this.#endedBefore(text).catch(reject);
    });
  }

  protected readonly received = {
    out: (text: string): void => {
      const parts = (this.#rest + text).split("\n");
      this.#rest = parts.pop() ?? "";
      for (const part of parts) this.#take(JSON.parse(part) as Line);
    },
    err: (text: string): void => {
      this.#stderr = (this.#stderr + text).slice(-20_000);
      for (const { text: wanted, found } of this.#listening)
        if (this.#stderr.includes(wanted)) found();
    },
  };

  async #endedBefore(what: string): Promise<never> {
    const code = await this.exit;
    throw new Error(`ended with ${code} before "${what}": ${this.#stderr.slice(-2000)}`);
  }

  #take(line: Line): void {
    this.lines.push(line);
    for (const { event, found } of this.#waiting) if (event === line.event) found(line);
  }
}

/** The command `touchline` as a process of its own, read by its machine lines. */
export class Touchline extends RunningCommand {
  readonly #child: ChildProcess;
  readonly exit: Promise<number | null>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    super();
    this.#child = spawn(
      process.execPath,
      ["--disable-sigusr1", "--conditions=touchline-source", bin, ...args, "--json"],
      {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#child.stdout?.setEncoding("utf8").on("data", this.received.out);
    this.#child.stderr?.setEncoding("utf8").on("data", this.received.err);
    this.exit = new Promise((resolve) => {
      this.#child.once("close", (code) => resolve(code));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/**
 * The same command in the process of the test, which is cheaper by more than a second of processor time. For one that nothing kills or
 * blocks; its log says errors alone.
 */
export class TouchlineHere extends RunningCommand {
  readonly #interrupt = new Interrupt(false, () => undefined);
  readonly exit: Promise<number>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    super();
    this.exit = runUntil([...args, "--json"], here(env), this.#interrupt, this.received).then(
      ({ code }) => code,
    );
  }

  /** Asks it to end, as SIGTERM does. */
  stop(): void {
    this.#interrupt.request({ who: "signal", from: "SIGTERM" });
  }
}

/** First words of the commands that `touchline()` runs in this process: they end by themselves, and no test of it blocks or kills them. */
const short = new Set(
  "account alert check flatten halt journal keystore market order pause recording reload replay resume run session status stop sweep tune".split(
    " ",
  ),
);

/**
 * Runs a command to its end and gives its lines. A short one runs in this process, since tests need many and the start of a process costs
 * more than the command; any other runs in a process of its own.
 */
export async function touchline(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly code: number | null;
  readonly lines: readonly Line[];
  readonly stderr: string;
}> {
  if (short.has(args[0] ?? "")) {
    const { code, events, err } = await runLine([...args, "--json"], here(env));
    return {
      code,
      lines: events.map((line) => ({ ...line, event: String(line["event"]) })),
      stderr: err,
    };
  }
  const run = new Touchline(args, env);
  const code = await run.exit;
  return { code, lines: run.lines, stderr: run.stderr };
}
