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
export interface CommandDefinition<
  Arguments extends ArgumentSet = ArgumentSet,
  Options extends OptionSet = OptionSet,
> {
  /** The words to type: `["market", "depth"]`. Joined by a dot, they name its JSON lines. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Sentences for the command's own help, after the summary. */
  readonly details?: string;
  /** Positional arguments, in order. */
  readonly args: Arguments;
  readonly options: Options;
  /** Command lines without the leading `touchline`. */
  readonly examples: readonly string[];
  /** True if a signal is the command's normal end (exit 0); otherwise a signal interrupts it (exit 130). */
  readonly endsBySignal?: boolean;
  run(invocation: Invocation<Values<Arguments>, Values<Options>>): Promise<ExitCode>;
}

/** A command without its types. The program passes it the values that the command's own options have parsed. */
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

/** Infers a command's types from its arguments and options. */
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
