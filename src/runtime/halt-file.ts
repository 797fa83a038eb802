import type { Store } from "../ports/store.ts";

/** Longest reason that is read from a file that somebody wrote by hand. */
const MAX_REASON = 200;
/** The reason of a halt by a file without text. */
const EMPTY = "the HALT file exists";

/**
 * `HALT` in the journal's folder: while it exists the bot refuses to quote, also after a restart. `touchline halt` writes it; made by
 * hand (`touch`), it works too, without a socket and on a full disk. Its first line is the reason.
 */
export class HaltFile {
  readonly path: string;
  readonly #store: Store;
  /** The writes so far, one after the other; never rejects. */
  #written: Promise<void> = Promise.resolve();
  /** Writes that the disk has not confirmed. */
  #waiting = 0;
  /** The reason of the newest write; undefined once the file is unwanted again, although a write may still make it. */
  #wanted: string | undefined;

  constructor(store: Store, journalPath: string) {
    this.#store = store;
    this.path = `${journalPath}/HALT`;
  }

  /** The reason of the halt, also while the disk has not confirmed it; undefined without one. */
  read(): string | undefined {
    if (this.#waiting > 0) return this.#wanted;
    let content: Uint8Array | undefined;
    try {
      const state = this.#store.stateOf(this.path);
      // A pipe or device in its place is empty, too, and reading one might never end.
      if (state?.size === 0) return EMPTY;
      content = state && this.#store.read(this.path);
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
    return reason === "" ? EMPTY : reason;
  }

  /** Resolves once the file is durable, and does not hold the event loop. Rejects with TouchlineError `WRITE_FAILED`. */
  write(reason: string): Promise<void> {
    this.#wanted = reason;
    this.#waiting += 1;
    const bytes = new TextEncoder().encode(`${reason}\n`);
    const written = this.#written
      .then(() => this.#store.write(this.path, bytes))
      .finally(() => {
        this.#waiting -= 1;
        if (this.#wanted === undefined) this.#store.remove(this.path);
      });
    this.#written = written.catch(() => undefined);
    return written;
  }

  /** Also a write that the disk has not confirmed leaves no file. */
  remove(): void {
    this.#store.remove(this.path);
    this.#wanted = undefined;
  }
}
