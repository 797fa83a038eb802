import type { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";
import type { Address } from "../domain/ids.ts";
import type { ReadableCommandSpec } from "./command.ts";
import { type CommandName, commands, type Commands, type WireCommand } from "./commands.ts";
import { contextAddress } from "./context-values.ts";
import { problemOf } from "./problem.ts";

/** Decodes `data` of a transaction: the command and its strict context (§4.4, §7.3, D5). */

// Keeps a byte order mark in the text, where it is invalid JSON.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const namesByByte: ReadonlyMap<number, CommandName> = new Map(
  Object.values(commands)
    .filter(({ name }) => name !== "withdraw")
    .map((command) => [command.byte, command.name as CommandName]),
);

/** Returns the command and its context, or one sentence for `errMsg`. `withdrawByte` defaults to the one of D9. */
export function decodeContext(
  data: Uint8Array,
  withdrawByte: number = commands.withdraw.byte,
): Result<WireCommand, string> {
  const byte = data[0];
  if (byte === undefined) return err("data is empty");
  const name = byte === withdrawByte ? "withdraw" : namesByByte.get(byte);
  if (name === undefined)
    return err(`unknown command byte 0x${byte.toString(16).padStart(2, "0")}`);
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(data.subarray(1));
    value = JSON.parse(text);
  } catch {
    return err("context is not JSON");
  }
  const context = commands[name].context.safeParse(value);
  if (!context.success) return err(problemOf(context.error, "context"));
  // JSON.parse keeps the last of two fields with the same name, but what was signed must be unambiguous.
  if (keysWritten(text) !== keysOf(value)) return err("context names a field twice");
  return ok({ name, context: context.data } as WireCommand);
}

/** Union of all decoded commands. */
export type ContextCommand = ReturnType<Commands[CommandName]["decode"]>;

/** A transaction's command in types of the domain. */
export interface DecodedCommand {
  /** Account for which the command is executed. */
  readonly owner: Address;
  readonly sessionMaySign: boolean;
  readonly command: ContextCommand;
}

export function decodeCommand({ name, context }: WireCommand): DecodedCommand {
  const spec: ReadableCommandSpec<z.ZodType, ContextCommand> = commands[name];
  return {
    owner: contextAddress(context.l1owner),
    sessionMaySign: spec.sessionMaySign,
    command: spec.decode(context),
  };
}

/** Paths that accept the command: a single one if the context determines it, else all paths of its kind (D10). */
export function pathsOf({ name, context }: WireCommand): readonly string[] {
  const spec: ReadableCommandSpec = commands[name];
  const path = spec.pathOf?.(context);
  return path === undefined ? spec.paths : [path];
}

/** Counts the fields in JSON text: strings followed by a colon. */
function keysWritten(text: string): number {
  let count = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)) if (match[1] === ":") count += 1;
  return count;
}

/** Counts the fields of the parsed value, whose depth the schema has limited. */
function keysOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const inner of Object.values(value)) count += 1 + keysOf(inner);
  return count;
}
