import type { z } from "zod";

/** One command byte with its strict JSON context (§4.4), as data. */
export interface CommandSpec<Context extends z.ZodType = z.ZodType> {
  /** File name, e.g. `cancel`. */
  readonly name: string;
  readonly section: string;
  readonly summary: string;
  readonly byte: number;
  /** Paths that accept the command (D10). */
  readonly paths: readonly string[];
  /** Strict: unknown fields are refused (§7.3). Fields are in the order of the interface's table, and so is encoded text. */
  readonly context: Context;
  /** True when a session wallet may sign it (D7). */
  readonly sessionMaySign: boolean;
  /** Set where the interface does not show the context, to mark it as our assumption. */
  readonly structure?: "decided here, not shown by the venue";
}

/** A command with a decoder, for the venue. */
export interface ReadableCommandSpec<Context extends z.ZodType = z.ZodType, Command = unknown>
  extends CommandSpec<Context> {
  /** Set if the context determines which of `paths` accepts the command (D10). */
  pathOf?(context: z.output<Context>): string;
  /** Converts a validated context to a typed command: exact amounts, checked ids, no wire codes. */
  decode(context: z.output<Context>): Command;
}

/** Identity function that infers a command's types. */
export function defineCommand<Context extends z.ZodType, const Command>(
  spec: ReadableCommandSpec<Context, Command>,
): ReadableCommandSpec<Context, Command>;
export function defineCommand<Context extends z.ZodType>(
  spec: CommandSpec<Context>,
): CommandSpec<Context>;
export function defineCommand(spec: CommandSpec): CommandSpec {
  return spec;
}

export type ContextOf<C extends CommandSpec> = z.output<C["context"]>;
