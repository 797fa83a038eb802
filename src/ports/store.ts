/** An append-only file, for journals and recorders. */
export interface AppendFile {
  /** Size in bytes. */
  readonly size: number;
  /** Writes the bytes to the operating system before it returns: they survive a killed process, not a power cut. Throws TouchlineError `WRITE_FAILED`, for instance when the disk is full. */
  append(bytes: Uint8Array): void;
  /** Makes everything appended so far durable. */
  sync(): Promise<void>;
  close(): void;
}

/** A file that is open for reading. What it holds stays the same when another file takes its name. */
export interface ReadFile {
  /** Size in bytes. */
  readonly size: number;
  /** Reads `into.length` bytes from byte `at` on. Throws TouchlineError `READ_FAILED`, also when the file ends before. */
  read(into: Uint8Array, at: number): void;
  close(): void;
}

/** New content of a file, which takes the old one's place in one step. */
export interface Replacement {
  /** Throws TouchlineError `WRITE_FAILED`. */
  append(bytes: Uint8Array): void;
  /** Readers of the path see the new content from now on. Throws TouchlineError `WRITE_FAILED`. */
  commit(): void;
  /** Leaves the old content in place; does nothing after `commit`. */
  discard(): void;
}

export interface FileState {
  readonly size: number;
  /** Time of the last change of content or attributes, which nobody can set, Unix nanoseconds. */
  readonly changed: string;
}

export interface Store {
  /** Opens a file for appending, and creates it and its folders if missing. `truncateTo` cuts it to that size first. */
  openAppend(path: string, options?: { readonly truncateTo?: number }): AppendFile;
  /** Undefined when the file does not exist. */
  openRead(path: string): ReadFile | undefined;
  /** Writes a whole file durably, without holding the event loop; readers see all of it or nothing. Rejects with TouchlineError `WRITE_FAILED`. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Starts a file that nobody sees before its `commit`, with the permissions of the one that it replaces. Throws TouchlineError
   * `WRITE_FAILED`, also where a folder, a link or a device has the name.
   */
  openReplacement(path: string): Replacement;
  /** Undefined when the file does not exist; for a dangling link, the state of the link itself. */
  stateOf(path: string): FileState | undefined;
  /** Content of the file; undefined when it does not exist. */
  read(path: string): Uint8Array | undefined;
  /** Sorted names of the folder's entries; empty when the folder does not exist. */
  list(folder: string): readonly string[];
  /** Renames a folder. `to` must not exist, or must be an empty folder. */
  rename(from: string, to: string): void;
  /** Removes a file, or a folder and its contents; does nothing when it does not exist. */
  remove(path: string): void;
  /**
   * Locks the folder for this process until it ends; false when another live process holds the lock. Throws TouchlineError
   * `LOCK_FAILED`. `isPrivate`: a folder that is made for it, and the lock's file, are readable to this user only, the folder is
   * removed by `unlock`, and a folder that other users can change is refused.
   */
  lock(folder: string, options?: { readonly isPrivate?: boolean }): boolean;
  /** Releases the lock; does nothing when this process does not hold it. */
  unlock(folder: string): void;
}
