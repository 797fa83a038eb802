import type { ContextOf } from "./command.ts";
import { cancelAll } from "./commands/cancel-all.ts";
import { cancel } from "./commands/cancel.ts";
import { modify } from "./commands/modify.ts";
import { order } from "./commands/order.ts";
import { session } from "./commands/session.ts";
import { stop } from "./commands/stop.ts";
import { tokenTransfer } from "./commands/token-transfer.ts";
import { transfer } from "./commands/transfer.ts";
import { withdraw } from "./commands/withdraw.ts";

/** Every command by its name. */
export const commands = {
  order,
  cancel,
  "cancel-all": cancelAll,
  modify,
  stop,
  session,
  transfer,
  "token-transfer": tokenTransfer,
  withdraw,
} as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;

/** Union of all commands, each with its decoded context. */
export type WireCommand = {
  readonly [Name in CommandName]: {
    readonly name: Name;
    readonly context: ContextOf<Commands[Name]>;
  };
}[CommandName];
