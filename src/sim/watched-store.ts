import type { AppendFile } from "../ports/store.ts";
import { MemoryStore } from "./memory-store.ts";

/** A command may wait in the gateway while the journal grows by this many appends. */
const REMEMBERED = 64;

/** Files in memory that remember the newest appends. */
export class WatchedStore extends MemoryStore {
  readonly #text = new TextDecoder("latin1");
  #recent: string[] = [];

  /** Whether one of the newest appends has this text. */
  hasAppended(text: string): boolean {
    return this.#recent.some((appended) => appended.includes(text));
  }

  override openAppend(path: string, options: { readonly truncateTo?: number } = {}): AppendFile {
    const file = super.openAppend(path, options);
    return {
      get size() {
        return file.size;
      },
      append: (bytes) => {
        file.append(bytes);
        this.#recent.push(this.#text.decode(bytes));
        if (this.#recent.length > 2 * REMEMBERED) this.#recent = this.#recent.slice(-REMEMBERED);
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }

  /** All files of a folder and then `text`, concatenated. */
  concatenated(folder: string, text: string): Uint8Array {
    const parts = this.list(folder).map(
      (name) => this.read(`${folder}/${name}`) ?? new Uint8Array(),
    );
    parts.push(new TextEncoder().encode(text));
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}
