import type { z } from "zod";

/** One command byte with its strict JSON context (§4.4), as data. */
export interface CommandSpec<Context extends z.ZodType = z.ZodType> {
  /** File name, e.g. `cancel`. */
  readonly name: string;
  readonly section: string;
  readonly summary: string;
  readonly byte: number;
  /** Paths that take it (D10). */
  readonly paths: readonly string[];
  /** Strict: unknown fields are refused (§7.3). Field order is that of the interface's table; text is made in this order. */
  readonly context: Context;
  /** True when a session wallet may sign it (D7). */
  readonly sessionMaySign: boolean;
  /** Set where the interface shows no context for it, so that nobody takes it for the interface. */
  readonly structure?: "decided here, not shown by the venue";
}

/** A command that a venue can read, too. */
export interface ReadableCommandSpec<Context extends z.ZodType = z.ZodType, Command = unknown>
  extends CommandSpec<Context> {
  /** Set where the context decides which one of `paths` takes it (D10). */
  pathOf?(context: z.output<Context>): string;
  /** The typed command of a context that its codec has read: exact amounts, checked ids, no wire codes. */
  decode(context: z.output<Context>): Command;
}

/** Gives a command its types. */
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
