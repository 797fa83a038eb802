import type { Interrupt } from "./interrupt.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Argument, Option } from "./option.ts";
import type { Terminal } from "./terminal.ts";

type OptionSet = Readonly<Record<string, Option<unknown>>>;
type ArgumentSet = Readonly<Record<string, Argument<unknown>>>;
type Values<Set> = {
  readonly [Name in keyof Set]: Set[Name] extends { parse(text: string): infer Value }
    ? Set[Name] extends { readonly fallback: infer Fallback }
      ? Value | Fallback
      : Value
    : never;
};

/** What a command gets to work with. */
export interface Invocation<Arguments, Options> {
  readonly args: Arguments;
  readonly options: Options;
  /** `path.to.key=value` of every `--set`. */
  readonly overrides: readonly string[];
  readonly terminal: Terminal;
  readonly interrupt: Interrupt;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One command of `touchline`; its file holds all of it. What is heavy is imported inside `run`. */
export interface CommandDefinition<
  Arguments extends ArgumentSet = ArgumentSet,
  Options extends OptionSet = OptionSet,
> {
  /** As typed: `["market", "depth"]`; joined by a dot they name its JSON lines. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Sentences for the command's own help, under the summary. */
  readonly details?: string;
  /** In the order in which they are typed. */
  readonly args: Arguments;
  readonly options: Options;
  /** Without the leading `touchline`. */
  readonly examples: readonly string[];
  /** A signal is its normal end (exit 0); otherwise a signal interrupts it (exit 130). */
  readonly endsBySignal?: boolean;
  run(invocation: Invocation<Values<Arguments>, Values<Options>>): Promise<ExitCode>;
}

/** A command as the program sees it, its types forgotten. */
export interface CliCommand {
  readonly words: readonly string[];
  readonly summary: string;
  readonly details?: string;
  readonly args: ArgumentSet;
  readonly options: OptionSet;
  readonly examples: readonly string[];
  readonly endsBySignal: boolean;
  /** `args` and `options` hold the values that this command's own arguments and options have parsed. */
  run(
    invocation: Invocation<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>>,
  ): Promise<ExitCode>;
}

/** Gives a command its types. */
export function defineCliCommand<
  const Arguments extends ArgumentSet,
  const Options extends OptionSet,
>(definition: CommandDefinition<Arguments, Options>): CliCommand {
  return {
    endsBySignal: false,
    ...definition,
    run: (invocation) =>
      definition.run(invocation as Invocation<Values<Arguments>, Values<Options>>),
  };
}
