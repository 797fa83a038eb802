import {
  type BigIntStats,
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  fsyncSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { AppendFile, Store } from "../ports/store.ts";
import { openExclusive, sqliteCodeOf, sqliteCodes } from "./sqlite.ts";
import { backgroundFiles } from "./background-files.ts";
import { makeFolder, syncFolder } from "./folder.ts";
import { codeOf, isMissing, isNowhere, writeFailed } from "./file-errors.ts";
import { DiskReplacement, openForReading, readWhole } from "./whole-file.ts";
import { makePrivate, openPrivate, OWNER_ONLY_FOLDER, refuseOpen } from "./private-file.ts";

/** Name of the file that carries a folder's lock. */
const LOCK_FILE = "lock.db";

/** The Store port on the local file system. */
export function createStore(): Store {
  const locks = new Map<string, { readonly database: DatabaseSync; readonly isPrivate: boolean }>();
  return {
    openAppend(path, options = {}) {
      makeFolder(dirname(path), OWNER_ONLY_FOLDER);
      return new DiskFile(path, options.truncateTo);
    },

    openRead: (path) => openForReading(path),

    openReplacement: (path) => new DiskReplacement(path),

    async write(path, bytes) {
      try {
        makeFolder(dirname(path), OWNER_ONLY_FOLDER);
        await backgroundFiles.write(path, bytes, Date.now());
      } catch (thrown) {
        throw writeFailed(path, thrown);
      }
    },

    stateOf(path) {
      const state = statSync(path, { throwIfNoEntry: false, bigint: true }) ?? ownState(path);
      if (state === undefined) return undefined;
      return { size: Number(state.size), changed: String(state.ctimeNs) };
    },

    read(path) {
      try {
        return readWhole(path);
      } catch (thrown) {
        if (isNowhere(thrown)) return undefined;
        throw thrown;
      }
    },

    list(folder) {
      try {
        return readdirSync(folder).sort();
      } catch (thrown) {
        if (isMissing(thrown)) return [];
        throw thrown;
      }
    },

    rename(from, to) {
      renameSync(from, to);
      syncFolder(dirname(to));
    },

    remove(path) {
      rmSync(path, { recursive: true, force: true });
    },

    lock(folder, options = {}) {
      if (locks.has(folder)) return false;
      const { isPrivate = false } = options;
      makeFolder(folder, OWNER_ONLY_FOLDER);
      const file = join(folder, LOCK_FILE);
      makeLockFile(file, isPrivate);
      const inode = isPrivate ? inodeOf(file) : undefined;
      // The operating system releases SQLite's exclusive lock when the process ends, however it ends, so no stale file or
      // reused process id can block the next start.
      const database = lockFile(file);
      if (database === undefined) return false;
      // The process that held the lock until now may have removed the file meanwhile.
      if (isPrivate && inodeOf(file) !== inode) {
        database.close();
        return this.lock(folder, options);
      }
      locks.set(folder, { database, isPrivate });
      return true;
    },

    unlock(folder) {
      const held = locks.get(folder);
      if (held === undefined) return;
      locks.delete(folder);
      // While the lock is held, so that nobody else's file is removed.
      if (held.isPrivate) removeQuietly(folder);
      held.database.close();
    },
  };
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** A file that is left behind does no harm: without its lock it means nothing. */
function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Not every system removes a file that is open.
  }
}

function makeLockFile(path: string, isPrivate: boolean): void {
  try {
    // Another user could hold the lock, or remove it.
    if (isPrivate) refuseOpen(path);
    makePrivate(path);
  } catch (thrown) {
    throw lockError(path, thrown);
  }
}

/** Opens and locks a file; undefined when another process holds its lock. Throws TouchlineError `LOCK_FAILED`. */
function lockFile(path: string): DatabaseSync | undefined {
  try {
    return openExclusive(path);
  } catch (thrown) {
    if (sqliteCodeOf(thrown) === sqliteCodes.busy) return undefined;
    throw lockError(path, thrown);
  }
}

/** Says what is wrong; no other process holds the lock. */
function lockError(path: string, thrown: unknown): TouchlineError {
  const reason = errorText(thrown).replace(/\.$/, "");
  return new TouchlineError("LOCK_FAILED", `Cannot lock ${path}: ${reason}.`, {
    context: { path, reason },
    hint: isFull(thrown)
      ? "The disk is full: free some space. No other bot is the reason."
      : "The bot needs write access to this folder. A lock file that is damaged can be removed while no bot runs.",
    cause: thrown,
  });
}

function isFull(thrown: unknown): boolean {
  return sqliteCodeOf(thrown) === sqliteCodes.full || codeOf(thrown) === "ENOSPC";
}

class DiskFile implements AppendFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #inode: number;
  #size: number;
  /** Number of bytes covered by the last finished sync. */
  #synced = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, truncateTo: number | undefined) {
    this.#path = path;
    // Writes stay at the end of the file, and a torn tail can be cut off.
    this.#descriptor = openPrivate(path, "append");
    if (truncateTo !== undefined) ftruncateSync(this.#descriptor, truncateTo);
    const { size, ino } = fstatSync(this.#descriptor);
    this.#size = size;
    this.#inode = ino;
    syncFolder(dirname(path));
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += writeSync(this.#descriptor, bytes, written, bytes.length - written);
      }
    } catch (thrown) {
      // Removes a partial record, so that the file ends with a whole one.
      if (written > 0) ftruncateSync(this.#descriptor, this.#size);
      throw writeFailed(this.#path, thrown);
    }
    this.#size += bytes.length;
  }

  /** Calls made during a sync share the next one, so a group costs a single fdatasync. */
  async sync(): Promise<void> {
    const target = this.#size;
    while (this.#synced < target) {
      this.#running ??= this.#syncNow().finally(() => {
        this.#running = undefined;
      });
      await this.#running;
    }
  }

  async #syncNow(): Promise<void> {
    const covered = this.#size;
    // At the same time, so that the check of the name adds no delay.
    if (!this.#isClosed) await Promise.all([this.#syncData(), this.#checkName()]);
    this.#synced = covered;
  }

  #syncData(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (error === null || this.#isClosed) resolve();
        else reject(error);
      });
    });
  }

  /** Rejects when the file's name is gone or belongs to another file: a restart would not find what is written to it. */
  async #checkName(): Promise<void> {
    const found = await stat(this.#path).catch((thrown: unknown) => {
      if (!isNowhere(thrown)) throw thrown;
    });
    if (this.#isClosed || found?.ino === this.#inode) return;
    const message = `${this.#path} was removed, moved or replaced while it was in use.`;
    throw new TouchlineError("WRITE_FAILED", message, { context: { path: this.#path } });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The last group; the only time a caller waits for the disk.
    if (this.#synced < this.#size) fsyncSync(this.#descriptor);
    this.#synced = this.#size;
    closeSync(this.#descriptor);
  }
}

/** State of a dangling link itself; undefined when there is no such link. */
function ownState(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (thrown) {
    if (isNowhere(thrown)) return undefined;
    throw thrown;
  }
}
