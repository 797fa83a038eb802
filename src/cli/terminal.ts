import { TouchlineError } from "../base/error.ts";
import { ConfigError } from "../config/problem.ts";

/** Where lines go: the process's own streams, or a test's. */
export interface TerminalStreams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colours are for people in front of a terminal. */
  readonly isTerminal: boolean;
}

/**
 * What a command says. With `--json` stdout holds JSON objects only, one a line, and people's text goes to stderr;
 * otherwise people's text goes to stdout and no JSON is written.
 */
export class Terminal {
  readonly json: boolean;
  readonly #streams: TerminalStreams;

  constructor(json: boolean, streams: TerminalStreams) {
    this.json = json;
    this.#streams = streams;
  }

  /** A machine-readable line; nothing without `--json`. */
  emit(event: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.json) this.#streams.out(`${JSON.stringify({ event, ...fields })}\n`);
  }

  /** A result for people: on stdout, nothing with `--json`, where `emit` says the same. */
  print(text: string): void {
    if (!this.json) this.#streams.out(`${text}\n`);
  }

  /** News for people while something runs: on stdout, with `--json` on stderr. */
  say(text: string): void {
    if (this.json) this.#streams.err(`${text}\n`);
    else this.#streams.out(`${text}\n`);
  }

  /** What is to be done next, beside a result that may be piped on: on stderr. */
  note(text: string): void {
    this.#streams.err(`${text}\n`);
  }

  /** A caution for people, always on stderr. */
  warn(text: string): void {
    this.#streams.err(`${this.#paint(33, "warning:")} ${text}\n`);
  }

  /** Says why a command failed, in sentences, and for machines. */
  fail(error: unknown): void {
    const { code, message, hint } = describeError(error);
    const problems = error instanceof ConfigError ? { problems: error.problems } : {};
    this.emit("error", { code, message, hint: hint ?? null, ...problems });
    const isList = error instanceof ConfigError;
    const prefix = isList ? "" : `${this.#paint(31, "touchline:")} `;
    this.#streams.err(`${prefix}${message}\n${hint === undefined ? "" : `${hint}\n`}`);
    if (process.env.TOUCHLINE_DEBUG && error instanceof Error) {
      this.#streams.err(`${error.stack ?? ""}\n`);
    }
  }

  bold(text: string): string {
    return this.json ? text : this.#paint(1, text);
  }

  dim(text: string): string {
    return this.json ? text : this.#paint(2, text);
  }

  green(text: string): string {
    return this.json ? text : this.#paint(32, text);
  }

  red(text: string): string {
    return this.json ? text : this.#paint(31, text);
  }

  #paint(style: number, text: string): string {
    return this.#streams.isTerminal ? `\u001b[${style}m${text}\u001b[0m` : text;
  }
}

function describeError(error: unknown): {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
} {
  if (error instanceof TouchlineError) {
    return { code: error.code, message: error.message, hint: error.hint };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: "INTERNAL",
    message: `An error that should not happen: ${message}`,
    hint: "Run it again with TOUCHLINE_DEBUG=1 to see where, and report it.",
  };
}
