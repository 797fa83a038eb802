import { holdsKey } from "../base/key-text.ts";
import type { CliCommand } from "./command.ts";
import { usageError } from "./exit-code.ts";

const HASH = /^0x[0-9a-f]{64}$/i;

/**
 * Throws a usage error when an argument may be a private key: every user of the machine can read command lines, and
 * shells keep them. The word is not repeated. `0x` and 64 hex digits may stand where the command takes an order id or a hash.
 */
export function refuseTypedKeys(typed: readonly string[], commands: readonly CliCommand[]): void {
  const command = commands.find(({ words }) => words.every((word, at) => typed[at] === word));
  const hashes = command === undefined ? new Set<number>() : placesOfHashes(command, typed);
  for (const [at, word] of typed.entries()) {
    if (!holdsKey(word) || (hashes.has(at) && HASH.test(valueOf(word)))) continue;
    throw usageError(
      `Word ${at + 1} of the command line looks like a private key; nothing was done.`,
      "Keep a key in an environment variable or a keystore. Regard one that was typed as known to others, and move its money.",
    );
  }
}

/** The words that the command reads as an order id or a hash: all others may be repeated in an error. */
function placesOfHashes(command: CliCommand, typed: readonly string[]): ReadonlySet<number> {
  const places = new Set<number>();
  const takers = Object.values(command.args);
  let taken = 0;
  let hasOptions = true;
  for (let at = command.words.length; at < typed.length; at += 1) {
    const word = typed[at] ?? "";
    if (hasOptions && word === "--") {
      hasOptions = false;
    } else if (hasOptions && word.startsWith("-")) {
      const option = Object.values(command.options).find(
        ({ flags }) => flags.split(" ")[0] === word.split("=")[0],
      );
      const isJoined = word.includes("=");
      const hasValue = option?.flags.includes("<") ?? !isAlone(word);
      // Nobody knows what follows an option that the command does not have.
      if (hasValue && !isJoined) at += 1;
      if (hasValue && option?.takesHash === true) places.add(at);
    } else {
      if (takers[taken]?.takesHash === true) places.add(at);
      taken += 1;
    }
  }
  return places;
}

/** Whether an option of every command has no value. */
function isAlone(word: string): boolean {
  return word === "--json" || word === "--help" || word === "-h";
}

/** The value of `--option=value`, or the word itself. */
function valueOf(word: string): string {
  return word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
}
