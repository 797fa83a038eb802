import { assert } from "../base/assert.ts";
import { plainText } from "../base/plain-text.ts";
import type { Timer } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { settlesWithin } from "./settles-within.ts";

/** Longest reason that is read from a file that somebody wrote by hand, and the bytes that it may take. */
const MAX_REASON = 200;
const MAX_READ = 4 * MAX_REASON;
/** A halt whose file is not on the disk by then may not survive a restart. */
const WRITE_MS = 2_000;
/** The reason of a halt by a file without text. */
const EMPTY = "the HALT file exists";
/** Something is there: a halt is the safe reading. */
const UNREADABLE = "the HALT file cannot be read";

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
    try {
      const state = this.#store.stateOf(this.path);
      if (state === undefined) return undefined;
      // A pipe or device in its place is empty, too, and reading one might never end.
      if (state.size === 0) return EMPTY;
      const [line = ""] = this.#beginning().split("\n");
      const reason = plainText(line.trim(), MAX_REASON).trim();
      return reason === "" ? EMPTY : reason;
    } catch {
      return UNREADABLE;
    }
  }

  /** Throws when the file cannot be read. */
  #beginning(): string {
    const file = this.#store.openRead(this.path);
    assert(file !== undefined, "a link leads to a file");
    try {
      const bytes = new Uint8Array(Math.min(file.size, MAX_READ));
      file.read(bytes, 0);
      return new TextDecoder().decode(bytes);
    } finally {
      file.close();
    }
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

  /** As `write`; resolves with false when the disk does not confirm it within seconds. */
  writeSoon(reason: string, timer: Timer): Promise<boolean> {
    return settlesWithin(WRITE_MS, this.write(reason), timer);
  }

  /** Also a write that the disk has not confirmed leaves no file. */
  remove(): void {
    this.#store.remove(this.path);
    this.#wanted = undefined;
  }
}
