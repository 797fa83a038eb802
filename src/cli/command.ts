import type { Interrupt } from "./interrupt.ts";
import { type ExitCode, exitCode } from "./exit-code.ts";
import type { Argument, Option } from "./option.ts";
import type { Terminal } from "./terminal.ts";

type OptionSet = Readonly<Record<string, Option<unknown>>>;
type ArgumentSet = Readonly<Record<string, Argument<unknown>>>;
/** What the options or arguments of a set are parsed to. */
export type Values<Set> = {
  readonly [Name in keyof Set]: Set[Name] extends { parse(text: string): infer Value }
    ? Set[Name] extends { readonly fallback: infer Fallback }
      ? Value | Fallback
      : Value
    : never;
};

/** Input and output of a running command. */
export interface Invocation<Arguments, Options> {
  readonly args: Arguments;
  readonly options: Options;
  /** `path.to.key=value` from every `--set`. */
  readonly overrides: readonly string[];
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One command of `touchline`, complete in its file. Large modules are imported inside `run`. */
interface CommandDefinition<Arguments extends ArgumentSet, Options extends OptionSet> {
  readonly summary: string;
  /** Sentences for the command's own help, after the summary. */
  readonly details?: string;
  /** Positional arguments, in order. */
  readonly args?: Arguments;
  readonly options?: Options;
  /** Command lines without the leading `touchline`. */
  readonly examples: readonly string[];
  /** True if a signal is the command's normal end (exit 0); otherwise a signal interrupts it (exit 130). */
  readonly endsBySignal?: boolean;
  /** Resolves with nothing when the command has done what it should. */
  run(invocation: Invocation<Values<Arguments>, Values<Options>>): Promise<ExitCode | void>;
}

type AnyValues = Readonly<Record<string, unknown>>;

/** A command without its types. The program passes it the values that the command's own options have parsed. */
export interface UnnamedCommand extends Omit<CommandDefinition<ArgumentSet, OptionSet>, "run"> {
  readonly args: ArgumentSet;
  readonly options: OptionSet;
  readonly endsBySignal: boolean;
  run(invocation: Invocation<AnyValues, AnyValues>): Promise<ExitCode>;
}

export interface CliCommand extends UnnamedCommand {
  /** The words to type: `["market", "depth"]`. */
  readonly words: readonly string[];
}

/** Infers a command's types from its arguments and options. */
export function defineCliCommand<
  const Arguments extends ArgumentSet = ArgumentSet,
  const Options extends OptionSet = OptionSet,
>(definition: CommandDefinition<Arguments, Options>): UnnamedCommand {
  return {
    args: {},
    options: {},
    endsBySignal: false,
    ...definition,
    run: async (invocation) =>
      (await definition.run(invocation as Invocation<Values<Arguments>, Values<Options>>)) ??
      exitCode.done,
  };
}
