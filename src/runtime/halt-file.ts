import type { Store } from "../ports/store.ts";

/** Longest reason that is read from a file that somebody wrote by hand. */
const MAX_REASON = 200;

/**
 * `HALT` in the journal's folder: while it exists the bot refuses to quote, also after a restart. `touchline halt` writes it; made by
 * hand (`touch`), it works too, without a socket and on a full disk. Its first line is the reason.
 */
export class HaltFile {
  readonly path: string;
  readonly #store: Store;

  constructor(store: Store, journalPath: string) {
    this.#store = store;
    this.path = `${journalPath}/HALT`;
  }

  /** The reason of the halt; undefined without a file. */
  read(): string | undefined {
    let content: Uint8Array | undefined;
    try {
      content = this.#store.read(this.path);
    } catch {
      // Something is there, though unreadable: a halt is the safe reading.
      return "the HALT file cannot be read";
    }
    if (content === undefined) return undefined;
    const [line = ""] = new TextDecoder().decode(content.subarray(0, 4 * MAX_REASON)).split("\n");
    const reason = line
      .replaceAll(/\p{Cc}/gu, " ")
      .trim()
      .slice(0, MAX_REASON);
    return reason === "" ? "the HALT file exists" : reason;
  }

  /** Throws TouchlineError `WRITE_FAILED`. */
  write(reason: string): void {
    const file = this.#store.openAppend(this.path, { truncateTo: 0 });
    try {
      file.append(new TextEncoder().encode(`${reason}\n`));
    } finally {
      file.close();
    }
  }

  remove(): void {
    this.#store.remove(this.path);
  }
}
