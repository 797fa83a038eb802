import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { plainJson, terminalText } from "../base/plain-text.ts";
import { ConfigError } from "../config/problem.ts";
import { fileError } from "./file-error.ts";

/** Output streams: those of the process, or of a test. */
export interface TerminalStreams {
  out(text: string): void;
  err(text: string): void;
  /** Whether to use colours. */
  readonly isTerminal: boolean;
}

/**
 * Output of a command. With `--json`, stdout gets only JSON objects, one per line, and text for people goes to stderr; otherwise
 * text goes to stdout and no JSON is written.
 */
export class Terminal {
  readonly json: boolean;
  readonly #streams: TerminalStreams;

  constructor(json: boolean, streams: TerminalStreams) {
    this.json = json;
    this.#streams = streams;
  }

  /** Writes a JSON line; does nothing without `--json`. */
  emit(event: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.json) this.#streams.out(`${plainJson(JSON.stringify({ event, ...fields }))}\n`);
  }

  /** Prints a result for people on stdout; does nothing with `--json`, where `emit` reports the same. */
  print(text: string): void {
    if (!this.json) this.#out(`${text}\n`);
  }

  /** Prints progress for people: on stdout, or on stderr with `--json`. */
  say(text: string): void {
    if (this.json) this.#err(`${text}\n`);
    else this.#out(`${text}\n`);
  }

  /** Prints an instruction on stderr, beside a result that may be piped. */
  note(text: string): void {
    this.#err(`${text}\n`);
  }

  /** Prints a warning on stderr. */
  warn(text: string): void {
    this.#err(`${this.#paint(33, "warning:")} ${text}\n`);
  }

  /** Reports why a command failed, as text and as a JSON line. */
  fail(error: unknown): void {
    const { code, message, hint } = describeError(error);
    const problems = error instanceof ConfigError ? { problems: error.problems } : {};
    this.emit("error", { code, message, hint: hint ?? null, ...problems });
    const isList = error instanceof ConfigError;
    const prefix = isList ? "" : `${this.#paint(31, "touchline:")} `;
    this.#err(`${prefix}${message}\n${hint === undefined ? "" : `${hint}\n`}`);
    if (process.env.TOUCHLINE_DEBUG === "1" && error instanceof Error) {
      this.#err(`${error.stack ?? ""}\n`);
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

  /** Both may contain what a venue or a file says, so no control character passes. */
  #out(text: string): void {
    this.#streams.out(terminalText(text));
  }

  #err(text: string): void {
    this.#streams.err(terminalText(text));
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
  const known = error instanceof TouchlineError ? error : fileError(error);
  if (known !== undefined) return { code: known.code, message: known.message, hint: known.hint };
  const message = errorText(error);
  return {
    code: "INTERNAL",
    message: `Internal error: ${message}`,
    hint: "This is a bug. Run again with TOUCHLINE_DEBUG=1 to see the stack trace, and report it.",
  };
}

/** Whether a person reads what is printed, and no program or log. */
export function isReadByPerson({ json }: Terminal): boolean {
  return process.stdout.isTTY && !json;
}
