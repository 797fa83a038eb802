import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runLine } from "../cli/run-line.ts";

const bin = fileURLToPath(new URL("../../bin/touchline.js", import.meta.url));

export type Line = Readonly<Record<string, unknown>> & { readonly event: string };

/** The command `touchline` as a process of its own, read by its machine lines. */
export class Touchline {
  readonly #child: ChildProcess;
  readonly lines: Line[] = [];
  readonly #waiting: { readonly event: string; readonly found: (line: Line) => void }[] = [];
  readonly #listening: { readonly text: string; readonly found: () => void }[] = [];
  #stderr = "";
  readonly exit: Promise<number | null>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(
      process.execPath,
      ["--disable-sigusr1", "--conditions=touchline-source", bin, ...args, "--json"],
      {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let rest = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      rest += text;
      const parts = rest.split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) this.#take(JSON.parse(part) as Line);
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-20_000);
      for (const { text: wanted, found } of this.#listening)
        if (this.#stderr.includes(wanted)) found();
    });
    this.exit = new Promise((resolve) => {
      this.#child.once("close", (code) => resolve(code));
    });
  }

  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The first line of this event, already printed or still to come. Rejects when the process ends without it. */
  line(event: string): Promise<Line> {
    const known = this.lines.find((line) => line.event === event);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, found: resolve });
      void this.#endedBefore(event).catch(reject);
    });
  }

  /** Resolves when standard error has this text, now or later. Rejects when the process ends without it. */
  said(text: string): Promise<void> {
    if (this.#stderr.includes(text)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#listening.push({ text, found: resolve });
      void this.#endedBefore(text).catch(reject);
    });
  }

  async #endedBefore(what: string): Promise<never> {
    const code = await this.exit;
    throw new Error(`ended with ${code} before "${what}": ${this.#stderr.slice(-2000)}`);
  }

  #take(line: Line): void {
    this.lines.push(line);
    for (const { event, found } of this.#waiting) if (event === line.event) found(line);
  }
}

/** First words of commands that query a venue, a bot or files and end, or leave their work to processes. */
const short = new Set(
  "order status pause resume halt stop tune reload check journal keystore market recording session sweep".split(
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
    const { code, events, err } = await runLine([...args, "--json"], { ...process.env, ...env });
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
