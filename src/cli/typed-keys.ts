import { holdsBareKey, holdsKey } from "../base/key-text.ts";
import type { CliCommand } from "./command.ts";
import { usageError } from "./exit-code.ts";

/**
 * Throws a usage error when an argument may be a private key: every user of the machine can read command lines, and
 * shells keep them. The word is not repeated. `0x` and 64 hex digits may stand where the command takes an order id or a hash.
 */
export function refuseTypedKeys(typed: readonly string[], commands: readonly CliCommand[]): void {
  const command = commands.find(({ words }) => words.every((word, at) => typed[at] === word));
  for (const [at, word] of typed.entries()) {
    if (!holdsKey(word)) continue;
    if (!holdsBareKey(word) && takesHash(command, word, typed[at - 1])) continue;
    throw usageError(
      `Word ${at + 1} of the command line looks like a private key; nothing was done.`,
      "Keep a key in an environment variable or a keystore. Regard one that was typed as known to others, and move its money.",
    );
  }
}

function takesHash(command: CliCommand | undefined, word: string, before: string | undefined) {
  if (command === undefined) return false;
  const joined = /^(--[\w-]+)=/.exec(word)?.[1];
  const flag = joined ?? (before?.startsWith("--") === true ? before : undefined);
  if (flag === "--set") return false;
  const option = Object.values(command.options).find(({ flags }) => flags.split(" ")[0] === flag);
  if (option?.flags.includes("<") === true) return option.takesHash === true;
  return Object.values(command.args).some((argument) => argument.takesHash === true);
}
