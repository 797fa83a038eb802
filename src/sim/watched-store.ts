import type { AppendFile } from "../ports/store.ts";
import { MemoryStore } from "./memory-store.ts";

/** Bytes of signed transactions: nothing else in the journal is as long. Bytes that follow one may look like hex digits. */
const TRANSACTION = /0x(?:f8([0-9a-f]{2})|f9([0-9a-f]{4}))[0-9a-f]{190,}/g;

/** A transaction leaves for the venue right after its append, and again within a minute. */
const TRANSACTIONS_MAX = 10_000;

/** Files in memory that remember the newest transactions that were appended. */
export class WatchedStore extends MemoryStore {
  /** When each was first appended. */
  readonly #transactions = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => 0) {
    super();
    this.#nowMs = nowMs;
  }

  /** When a transaction, as hex digits, was first appended to a file; undefined when it is not one of the newest 10,000. */
  appendedMs(bytesHex: string): number | undefined {
    return this.#transactions.get(bytesHex);
  }

  override openAppend(path: string, options: { readonly truncateTo?: number } = {}): AppendFile {
    const file = super.openAppend(path, options);
    return {
      get size() {
        return file.size;
      },
      append: (bytes) => {
        file.append(bytes);
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
        for (const match of text.matchAll(TRANSACTION)) {
          this.#add(transactionIn(match));
        }
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }

  #add(transaction: string): void {
    if (this.#transactions.has(transaction)) return;
    this.#transactions.set(transaction, this.#nowMs());
    if (this.#transactions.size <= TRANSACTIONS_MAX) return;
    for (const oldest of this.#transactions.keys()) {
      this.#transactions.delete(oldest);
      return;
    }
  }

  /** Whether a file of a folder has this text now. Copies of damaged tails, which nothing reads, do not count. */
  holds(folder: string, text: string): boolean {
    return this.list(folder).some((name) => {
      if (name.includes(".damaged-")) return false;
      const bytes = this.read(`${folder}/${name}`) ?? new Uint8Array();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(text);
    });
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

/** A transaction is one list, which begins with the length of its content (RLP). */
function transactionIn([found, short, long]: RegExpExecArray): string {
  const digits = short ?? long ?? "";
  return found.slice(0, "0xf8".length + digits.length + 2 * Number.parseInt(digits, 16));
}
