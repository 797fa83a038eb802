import type { ContextOf } from "./command.ts";
import { cancelAll } from "./commands/cancel-all.ts";
import { cancel } from "./commands/cancel.ts";
import { modify } from "./commands/modify.ts";
import { order } from "./commands/order.ts";

/**
 * Every command by its name.
 *
 * To come, each in a file of its own: session 0x01, native transfer 0x02 (D8), token transfer 0x11, withdraw 0x12 (D9),
 * stop order 0x25, and `tpsl` in the order context.
 */
export const commands = { order, cancel, "cancel-all": cancelAll, modify } as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;

/** A command's name with its context, for each command. */
export type WireCommand = {
  readonly [Name in CommandName]: {
    readonly name: Name;
    readonly context: ContextOf<Commands[Name]>;
  };
}[CommandName];
