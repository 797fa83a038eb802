import type { Command } from "./command.ts";

/** A command's words and where its file is: files are read only when their command, or help, is asked for. */
export interface CommandFile {
  readonly words: readonly string[];
  load(): Promise<Command>;
}

/** In the order of the help. */
export const commandFiles: readonly CommandFile[] = [
  {
    words: ["check"],
    load: async () => (await import("./commands/check.ts")).check,
  },
];
