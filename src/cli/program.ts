import {
  Argument as CommanderArgument,
  Command as Commander,
  Option as CommanderOption,
} from "commander";
import { errorText } from "../base/error-text.ts";
import { nearest } from "../base/nearest.ts";
import type { CliCommand } from "./command.ts";
import { usageError } from "./exit-code.ts";
import type { Option } from "./option.ts";

/** A parsed command line. */
export interface Parsed {
  readonly command: CliCommand;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly overrides: readonly string[];
}

export interface ProgramOptions {
  readonly version: string;
  /** Receives the text of the help. */
  readonly write: (text: string) => void;
  readonly columns: number;
  chosen(parsed: Parsed): void;
}

/** Description of each command group, by the first word. */
const groups: Readonly<Record<string, string>> = {
  new: "create strategies",
  market: "public market data of a venue",
  order: "manual orders",
  account: "balances and transfers",
  session: "session wallets",
  token: "access tokens for the page, the HTTP API and the gateway",
  alert: "alerts to chats and phones",
  position: "positions in a bot's journal",
  recording: "recorded market data",
  keystore: "encrypted keys",
  journal: "inputs and decisions of a bot",
};

/** Builds the command line's grammar. Errors are thrown as CommanderError; so is help, after it was written. */
export function buildProgram(commands: readonly CliCommand[], options: ProgramOptions): Commander {
  const program = base(new Commander("touchline"), options)
    .description("Market making and trading bots: live, on paper, in replay and in simulation.")
    .version(options.version, "-V, --version", "print the version")
    .addHelpText(
      "after",
      "\nEvery command accepts --json, --set and --help; its help has examples.\n\nExample:\n  $ touchline demo --duration 30s\n",
    );
  const parents = new Map<string, Commander>();
  for (const command of commands) {
    const [first = "", second] = command.words;
    if (second === undefined) {
      add(program, first, command, options);
      continue;
    }
    let parent = parents.get(first);
    if (parent === undefined) {
      const seconds = commands.flatMap(({ words }) => (words[0] === first ? (words[1] ?? []) : []));
      parent = base(program.command(first), options)
        .description(sentence(groups[first] ?? ""))
        .addHelpText("after", `\nMore: touchline ${first} ${second} --help`)
        .summary(`${groups[first]}: ${seconds.join(", ")}`);
      parents.set(first, parent);
    }
    add(parent, second, command, options);
  }
  return program;
}

function base(command: Commander, options: ProgramOptions): Commander {
  return (
    command
      .exitOverride()
      .configureOutput({
        writeOut: options.write,
        writeErr: () => undefined,
        getOutHelpWidth: () => options.columns,
      })
      // Arguments are shown in each command's own help; here they would leave no room for the summaries.
      .configureHelp({ subcommandTerm: (each) => each.name() })
      .helpOption("-h, --help", "show this help")
      .helpCommand(false)
      .showSuggestionAfterError(false)
  );
}

function add(parent: Commander, word: string, command: CliCommand, options: ProgramOptions): void {
  const summary = sentence(command.summary);
  const entry = base(parent.command(word), options)
    .description(command.details === undefined ? summary : `${summary} ${command.details}`)
    .summary(command.summary);
  for (const argument of Object.values(command.args)) {
    const added = new CommanderArgument(argument.form, argument.about);
    added.argParser((text: string, previous: unknown) =>
      collect(argument.form, () => argument.parse(text), added.variadic, previous),
    );
    entry.addArgument(added);
  }
  const attributes = new Map<string, string>();
  for (const [name, option] of Object.entries(command.options)) {
    const added = commanderOption(option);
    attributes.set(name, added.attributeName());
    entry.addOption(added);
  }
  entry.option("--json", "print machine-readable lines on stdout, everything else on stderr");
  entry.addOption(
    new CommanderOption("--set <path=value>", "override a config value; may be repeated").argParser(
      (text: string, previous: readonly string[] | undefined) => [...(previous ?? []), text],
    ),
  );
  const examples = command.examples.map((example) => `  $ touchline ${example}`).join("\n");
  entry.addHelpText("after", `\nExample:\n${examples}\n`);
  entry.allowExcessArguments();
  entry.action(() => {
    refuseFurtherArguments(command, entry.args);
    const given: Record<string, unknown> = entry.opts();
    const set = given.set;
    options.chosen({
      command,
      args: Object.fromEntries(
        Object.keys(command.args).map((name, at) => [name, entry.processedArgs[at]]),
      ),
      options: Object.fromEntries(
        Object.entries(command.options).map(([name, option]) => [
          name,
          given[attributes.get(name) ?? name] ?? option.fallback,
        ]),
      ),
      overrides: Array.isArray(set) ? set.map(String) : [],
    });
  });
}

/** Throws a usage error that names the options, where a value may have been meant for one of them. */
function refuseFurtherArguments(
  { words, args, options }: CliCommand,
  given: readonly string[],
): void {
  const forms = Object.values(args).map(({ form }) => form);
  if (forms.some((form) => form.includes("...")) || given.length <= forms.length) return;
  const name = `touchline ${words.join(" ")}`;
  const takes = forms.length === 0 ? "no arguments" : `${forms.join(" ")} only`;
  const further = given.slice(forms.length).join(", ");
  const flags = Object.values(options).map((option) => option.flags);
  const others = flags.length === 0 ? "" : `Everything else has a name: ${flags.join(", ")}. `;
  throw usageError(
    `\`${name}\` takes ${takes}, and there is more: ${further}.`,
    `${others}See: ${name} --help`,
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function commanderOption(option: Option<unknown>): CommanderOption {
  const { fallback } = option;
  const isShown = typeof fallback === "string" || typeof fallback === "number";
  const about = isShown ? `${option.about} (default ${fallback})` : option.about;
  const added = new CommanderOption(option.flags, about);
  if (added.isBoolean() || added.negate) return added;
  return added.argParser((text: string, previous: unknown) =>
    collect(option.flags, () => option.parse(text), option.isRepeated ?? false, previous),
  );
}

function collect(form: string, parse: () => unknown, isList: boolean, previous: unknown): unknown {
  let value: unknown;
  try {
    value = parse();
  } catch (error) {
    // One name of an option with two is enough.
    const name = form.replace(/, --[\w-]+/, "");
    throw usageError(`${name} ${errorText(error)}.`);
  }
  if (!isList || !Array.isArray(value)) return value;
  return Array.isArray(previous) ? [...previous, ...value] : value;
}

/** The command or option that was most likely meant; undefined when none is similar. */
export function suggestionFor(
  unknown: string,
  typed: readonly string[],
  commands: readonly CliCommand[],
): string | undefined {
  if (unknown.startsWith("-")) {
    const command = commands.find((each) => each.words.every((word, at) => typed[at] === word));
    const flags = Object.values(command?.options ?? {}).flatMap(
      (option) => /--[\w-]+/.exec(option.flags)?.[0] ?? [],
    );
    return nearest(unknown, [...flags, "--json", "--set", "--help"]);
  }
  const at = typed.indexOf(unknown);
  const siblings = commands.filter((each) =>
    each.words.slice(0, at).every((word, index) => typed[index] === word),
  );
  return nearest(unknown, new Set(siblings.flatMap((each) => each.words[at] ?? [])));
}
