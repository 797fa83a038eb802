import type { CliCommand } from "../../src/cli/command.ts";
import { commandFiles } from "../../src/cli/command-list.ts";
import { exitCodeOf } from "../../src/cli/exit-code.ts";
import { Interrupt } from "../../src/cli/interrupt.ts";
import { buildProgram, type Parsed } from "../../src/cli/program.ts";
import { Terminal } from "../../src/cli/terminal.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** stdout's lines as JSON; empty without --json. */
  readonly events: readonly Record<string, unknown>[];
}

/**
 * Runs one command line in this process, with everything but the process around it. One that would go on is asked to end, as its
 * `--duration` does, once `until` is content with its stdout, or what it waits for then resolves.
 */
export async function runLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  until: ((out: string) => boolean | Promise<unknown>) | Promise<unknown> = () => false,
): Promise<Ran> {
  const interrupt = new Interrupt(false, () => undefined);
  if (typeof until !== "function") void until.then(() => interrupt.request());
  let all = "";
  let found: boolean | Promise<unknown> = false;
  return runUntil(argv, env, interrupt, {
    out(text) {
      all += text;
      if (found !== false || typeof until !== "function") return;
      found = until(all);
      if (found !== false) void Promise.resolve(found).then(() => interrupt.request());
    },
    err: () => undefined,
  });
}

/** The same, until it ends by itself or by `interrupt`, which it closes; `received` gets each text as it is printed. */
export async function runUntil(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  interrupt: Interrupt,
  received: { out(text: string): void; err(text: string): void },
): Promise<Ran> {
  // As the program does it; a file loads much of the sources.
  const wanted = commandFiles.filter((file) => file.words[0] === argv[0]);
  const files = wanted.length > 0 ? wanted : commandFiles;
  const commands: readonly CliCommand[] = await Promise.all(files.map((file) => file.load()));
  let out = "";
  let err = "";
  const json = argv.includes("--json");
  const terminal = new Terminal(json, {
    out: (text) => {
      out += text;
      received.out(text);
    },
    err: (text) => {
      err += text;
      received.err(text);
    },
    isTerminal: false,
  });
  let parsed: Parsed | undefined;
  const program = buildProgram(commands, {
    version: "0",
    write: () => undefined,
    columns: 100,
    chosen: (chosen) => {
      parsed = chosen;
    },
  });
  let code: number;
  try {
    program.parse([...argv], { from: "user" });
    if (parsed === undefined) throw new Error("no command");
    const { command, args, options, overrides } = parsed;
    code = await command.run({ args, options, overrides, terminal, interrupt, env });
  } catch (error) {
    terminal.fail(error);
    code = exitCodeOf(error);
  } finally {
    interrupt.close();
  }
  const events = json
    ? out
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  return { code, out, err, events };
}

/** Ids of the orders in the first line. */
export function idsOf(ran: Ran): readonly string[] {
  const orders: unknown = ran.events[0]?.["orders"];
  return Array.isArray(orders) ? orders.map((order: { orderId: string }) => order.orderId) : [];
}
