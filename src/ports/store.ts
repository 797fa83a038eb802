/** Append-only files: all that a journal or a recorder needs. */
export interface AppendFile {
  /** Bytes in the file. */
  readonly size: number;
  /** Hands the bytes to the operating system before it returns: they survive a killed process, not a power cut. Throws when the disk is full. */
  append(bytes: Uint8Array): void;
  /** Makes everything appended so far durable. */
  sync(): Promise<void>;
  close(): void;
}

export interface Store {
  /** Opens for appending, making the file and its folders when missing. `truncateTo` cuts a torn tail first. */
  openAppend(path: string, options?: { readonly truncateTo?: number }): AppendFile;
  /** The whole file; undefined when there is none. */
  read(path: string): Uint8Array | undefined;
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(folder: string): readonly string[];
  /** Gives a folder its final name. `to` must not exist, or be an empty folder. */
  rename(from: string, to: string): void;
  /** Removes a folder with all that is in it; nothing happens when there is none. */
  remove(folder: string): void;
  /** Takes the folder for this process until it ends; false when another live process holds it. */
  lock(folder: string): boolean;
  /** Gives it up again; nothing happens when this process does not hold it. */
  unlock(folder: string): void;
}
