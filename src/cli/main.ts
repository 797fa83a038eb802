import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { CliCommand } from "./command.ts";
import { commandFiles } from "./command-list.ts";
import { type ExitCode, exitCode, exitCodeOf, usageError } from "./exit-code.ts";
import { endingSignals, Interrupt } from "./interrupt.ts";
import { buildProgram, type Parsed, suggestionFor } from "./program.ts";
import { tellOfBlockedCalls } from "../platform/call-watchdog.ts";
import { LineOutlet } from "../platform/line-outlet.ts";
import { type TerminalStreams, Terminal } from "./terminal.ts";
import { refuseTypedKeys } from "./typed-keys.ts";
import { readVersion } from "./version.ts";

const BLOCKED_HINT = "Look for a loop that does not end, or for work that takes too long.";

/** Runs one command line, without `node` and the script's name. Resolves with the exit code. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const typed = globalsLast(argv);
  const separator = typed.indexOf("--");
  const json = (separator < 0 ? typed : typed.slice(0, separator)).includes("--json");
  const streams = new ProcessStreams(json);
  const terminal = new Terminal(json, streams);
  tellOfBlockedCalls((sentence) =>
    terminal.fail(new TouchlineError("STRATEGY_BLOCKED", sentence, { hint: BLOCKED_HINT })),
  );
  let code: ExitCode;
  try {
    code = await runLine(typed, terminal, streams);
  } catch (error) {
    terminal.fail(error);
    code = exitCodeOf(error);
  }
  leaveSoon(code);
  return code;
}

async function runLine(
  typed: readonly string[],
  terminal: Terminal,
  streams: ProcessStreams,
): Promise<ExitCode> {
  const running: { interrupt?: Interrupt } = {};
  endQuietlyWithoutReader(() => running.interrupt);
  const commands = await loadCommands(typed);
  refuseTypedKeys(typed, commands);
  const parsed = parse(typed, commands, terminal);
  if (typeof parsed === "number") return parsed;
  const { command, args, options, overrides } = parsed;
  const interrupt = new Interrupt(command.endsBySignal, (code) => process.exit(code));
  if (command.endsBySignal) {
    running.interrupt = interrupt;
    streams.waitForNobody();
  }
  try {
    return await command.run({ args, options, overrides, terminal, interrupt, env: process.env });
  } finally {
    interrupt.close();
  }
}

/** Loads only the files that match the first word, to start quickly; all of them for help and suggestions, none for the version. */
async function loadCommands(typed: readonly string[]): Promise<readonly CliCommand[]> {
  if (typed[0] === "-V" || typed[0] === "--version") return [];
  const wanted = commandFiles.filter((file) => file.words[0] === typed[0]);
  const files = wanted.length > 0 ? wanted : commandFiles;
  return Promise.all(files.map((file) => file.load()));
}

function parse(
  typed: readonly string[],
  commands: readonly CliCommand[],
  terminal: Terminal,
): Parsed | ExitCode {
  let parsed: Parsed | undefined;
  const program = buildProgram(commands, {
    version: readVersion(),
    write: (text) => terminal.say(text.trimEnd()),
    columns: process.stdout.columns ?? 100,
    chosen: (chosen) => {
      parsed = chosen;
    },
  });
  if (typed.length === 0) {
    terminal.say(program.helpInformation());
    return exitCode.usage;
  }
  try {
    program.parse([...typed], { from: "user" });
  } catch (error) {
    const code = error instanceof Error ? String(Reflect.get(error, "code")) : "";
    if (!code.startsWith("commander.")) throw withHelp(error, typed, commands);
    if (code === "commander.helpDisplayed" || code === "commander.version") return exitCode.done;
    throw asUsageError(error, code, typed, commands);
  }
  if (parsed === undefined) throw usageError("No command was given.", "See: touchline --help");
  return parsed;
}

/** Adds a hint to the command's help to an error about a value. */
function withHelp(
  error: unknown,
  typed: readonly string[],
  commands: readonly CliCommand[],
): unknown {
  if (!(error instanceof TouchlineError) || error.hint !== undefined) return error;
  return usageError(error.message, helpLine(typed, commands));
}

function helpLine(typed: readonly string[], commands: readonly CliCommand[]): string {
  const words = typed.filter((word) => !word.startsWith("-"));
  return `See: ${["touchline", ...knownWords(words, commands), "--help"].join(" ")}`;
}

function asUsageError(
  error: unknown,
  code: string,
  typed: readonly string[],
  commands: readonly CliCommand[],
): TouchlineError {
  const words = typed.filter((word) => !word.startsWith("-"));
  const help = helpLine(typed, commands);
  if (code === "commander.help") {
    const subcommands = commands.map((command) => command.words.join(" "));
    return usageError(
      `touchline ${words.join(" ")} needs one more word: ${subcommands.join(", ")}.`,
      help,
    );
  }
  const message = errorText(error).replace(/^error: /, "");
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`.replace(/\.?$/, ".");
  const unknown = /unknown (?:command|option) '([^']+)'/.exec(message)?.[1];
  const guess = unknown === undefined ? undefined : suggestionFor(unknown, words, commands);
  return usageError(guess === undefined ? sentence : `${sentence} Did you mean ${guess}?`, help);
}

function knownWords(words: readonly string[], commands: readonly CliCommand[]): readonly string[] {
  for (const count of [2, 1]) {
    const start = words.slice(0, count);
    const isKnown = commands.some((command) =>
      start.every((word, at) => command.words[at] === word),
    );
    if (start.length === count && isKnown) return start;
  }
  return [];
}

/** Moves global options to the end: `touchline --json run x` becomes `touchline run x --json`. */
function globalsLast(argv: readonly string[]): readonly string[] {
  const rest = [...argv];
  const moved: string[] = [];
  while (rest[0] === "--json" || (rest[0] === "--set" && rest.length > 1)) {
    moved.push(...rest.splice(0, rest[0] === "--json" ? 1 : 2));
  }
  const separator = rest.indexOf("--");
  rest.splice(separator < 0 ? rest.length : separator, 0, ...moved);
  return rest;
}

class ProcessStreams implements TerminalStreams {
  readonly isTerminal = process.stdout.isTTY && process.env.NO_COLOR === undefined;
  #out: (text: string) => unknown;
  #err = (text: string): unknown => process.stderr.write(text);

  /** With `--json`, whatever else writes to stdout, such as a strategy's `console.log`, writes to stderr. */
  constructor(json: boolean) {
    this.#out = process.stdout.write.bind(process.stdout);
    if (json) Object.assign(process.stdout, { write: process.stderr.write.bind(process.stderr) });
  }

  out(text: string): void {
    this.#out(text);
  }

  err(text: string): void {
    this.#err(text);
  }

  /** From now on, a terminal that was stopped (Ctrl-S) does not hold the process: a bot has orders to cancel. Pipes never do. */
  waitForNobody(): void {
    if (process.stdout.isTTY) this.#out = outletOf(1);
    if (process.stderr.isTTY) this.#err = outletOf(2);
  }
}

function outletOf(descriptor: number): (text: string) => void {
  const outlet = new LineOutlet(descriptor, (lines) => `${lines} messages were lost\n`);
  process.once("exit", () => outlet.flushAtLast());
  return (text) => outlet.write(text);
}

/**
 * `touchline … | head` closes stdout: a bot then stops in order, any other command exits. When stdout takes nothing for another reason,
 * such as a full disk, a bot goes on, and any other command has failed.
 */
function endQuietlyWithoutReader(ofBot: () => Interrupt | undefined): void {
  let isKnown = false;
  process.stdout.on("error", (error) => {
    const interrupt = ofBot();
    if ("code" in error && error.code === "EPIPE") {
      if (interrupt === undefined) process.exit(exitCode.done);
      interrupt.request();
      return;
    }
    if (!isKnown) process.stderr.write(`touchline: stdout cannot be written: ${error.message}\n`);
    isKnown = true;
    if (interrupt === undefined) process.exit(exitCode.failed);
  });
  process.stderr.on("error", () => undefined);
}

/**
 * Exits soon after the command has finished, even if a library or a program that was started holds a handle open, and at once by a signal.
 * A signal without a listener would end the process without its last work, such as ending these programs.
 */
function leaveSoon(code: ExitCode): void {
  const leave = (): void => process.exit(code);
  setTimeout(leave, 2_000).unref();
  for (const signal of endingSignals) process.once(signal, leave);
}
