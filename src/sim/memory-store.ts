import { TouchlineError } from "../base/error.ts";
import type { AppendFile, FileState, ReadFile, Replacement, Store } from "../ports/store.ts";

/** Data reaches the disk in pages of this size, in any order. */
const PAGE_BYTES = 4096;

/** Files in memory that fail as disks do: they fill up, and a power cut loses data that was not synced. */
export class MemoryStore implements Store {
  readonly #files = new Map<string, MemoryFile>();
  readonly #locks = new Set<string>();
  /** Bytes that may still be written before every append fails. */
  roomBytes = Number.POSITIVE_INFINITY;
  #isStuck = false;
  /** Syncs that wait for a disk that hangs. */
  readonly #waiting = new Set<() => void>();
  /** Number of processes that were killed: nothing that such a process waits for goes on in it. */
  killedProcesses = 0;
  /** Number of appends that failed for lack of space. */
  refused = 0;
  /** Number of calls that would have held the event loop until the disk that hangs was back. */
  blocked = 0;

  openAppend(path: string, options: { readonly truncateTo?: number } = {}): AppendFile {
    this.noteBlocked();
    let file = this.#files.get(path);
    if (file === undefined) {
      file = new MemoryFile(this);
      this.#files.set(path, file);
    }
    if (options.truncateTo !== undefined) file.truncate(options.truncateTo);
    return file;
  }

  openRead(path: string): ReadFile | undefined {
    const bytes = this.read(path);
    if (bytes === undefined) return undefined;
    return {
      size: bytes.length,
      read: (into, at) => into.set(bytes.subarray(at, at + into.length)),
      close: () => undefined,
    };
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const file = new MemoryFile(this);
    file.append(bytes);
    await file.sync();
    this.#files.set(path, file);
  }

  openReplacement(path: string): Replacement {
    const file = new MemoryFile(this);
    return {
      append: (bytes) => file.append(bytes),
      commit: () => {
        this.#files.set(path, file);
      },
      discard: () => undefined,
    };
  }

  /** Without a clock: the content of a file tells whether it has changed. */
  stateOf(path: string): FileState | undefined {
    const size = this.#files.get(path)?.size;
    return size === undefined ? undefined : { size, changed: "" };
  }

  read(path: string): Uint8Array | undefined {
    return this.#files.get(path)?.content();
  }

  list(folder: string): readonly string[] {
    const names: string[] = [];
    for (const path of this.#files.keys()) {
      const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "/";
      if (!name.includes("/")) names.push(name);
    }
    return names.sort();
  }

  rename(from: string, to: string): void {
    if (this.list(to).length > 0) throw new TouchlineError("WRITE_FAILED", `${to} is not empty.`);
    for (const [path, file] of Array.from(this.#files)) {
      if (!path.startsWith(`${from}/`)) continue;
      this.#files.set(`${to}${path.slice(from.length)}`, file);
      this.#files.delete(path);
    }
  }

  remove(folder: string): void {
    for (const path of Array.from(this.#files.keys())) {
      if (path === folder || path.startsWith(`${folder}/`)) this.#files.delete(path);
    }
  }

  lock(folder: string): boolean {
    if (this.#locks.has(folder)) return false;
    this.#locks.add(folder);
    return true;
  }

  unlock(folder: string): void {
    this.#locks.delete(folder);
  }

  /** The process that held the locks was killed. Everything that it appended is kept. */
  killed(): void {
    this.killedProcesses += 1;
    this.#locks.clear();
  }

  /** While the disk hangs, no sync ends and nothing becomes durable; appends reach the page cache. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  set isStuck(isStuck: boolean) {
    this.#isStuck = isStuck;
    if (isStuck) return;
    for (const sync of this.#waiting) sync();
    this.#waiting.clear();
  }

  /** A call waits for the disk. */
  noteBlocked(): void {
    if (this.#isStuck) this.blocked += 1;
  }

  /** Calls `sync` when the disk does not hang. */
  whenFree(sync: () => void): void {
    if (this.#isStuck) this.#waiting.add(sync);
    else sync();
  }

  /**
   * The machine lost power: of each file's unsynced data only the share `keep` (0 to 1) is left, which may end in the middle of an
   * entry. With `losesPage`, the first whole page of that did not reach the disk either and reads as zeros.
   */
  powerCut(keep = 0, { losesPage = false }: { readonly losesPage?: boolean } = {}): void {
    this.killed();
    this.#waiting.clear();
    this.#isStuck = false;
    for (const file of this.#files.values()) file.powerCut(keep, losesPage);
  }
}

class MemoryFile implements AppendFile {
  readonly #store: MemoryStore;
  #bytes = new Uint8Array(1024);
  #size = 0;
  #synced = 0;

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length > this.#store.roomBytes) {
      this.#store.refused += 1;
      throw new TouchlineError("WRITE_FAILED", "The disk is full.");
    }
    this.#store.roomBytes -= bytes.length;
    const needed = this.#size + bytes.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = needed;
  }

  sync(): Promise<void> {
    return new Promise((resolve) => {
      const covered = this.#size;
      const { killedProcesses } = this.#store;
      this.#store.whenFree(() => {
        this.#synced = Math.max(this.#synced, Math.min(covered, this.#size));
        if (this.#store.killedProcesses === killedProcesses) resolve();
      });
    });
  }

  close(): void {
    if (this.#synced < this.#size) this.#store.noteBlocked();
    this.#synced = this.#size;
  }

  content(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }

  truncate(size: number): void {
    this.#size = Math.min(this.#size, size);
    this.#synced = Math.min(this.#synced, this.#size);
  }

  powerCut(keep: number, losesPage: boolean): void {
    if (losesPage) this.#losePage();
    this.#size = this.#synced + Math.floor((this.#size - this.#synced) * keep);
    this.#synced = this.#size;
  }

  #losePage(): void {
    const start = Math.ceil(this.#synced / PAGE_BYTES) * PAGE_BYTES;
    if (start + PAGE_BYTES < this.#size) this.#bytes.fill(0, start, start + PAGE_BYTES);
  }
}
