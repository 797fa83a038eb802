export interface FileDetails {
  readonly name: string;
  readonly bytes: number;
  /** Time of the last write, Unix milliseconds. */
  readonly modifiedMs: number;
}

/** File operations beside a running bot. None of them blocks the event loop; each rejects when the disk fails. */
export interface BackgroundFiles {
  /** The files of a folder, sorted by name; empty when it does not exist. */
  details(folder: string): Promise<readonly FileDetails[]>;
  /** Content of the file; undefined when it does not exist. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Writes a whole file durably, under the name `PATH.part` until its content is on the disk. So a crash leaves the file as a whole or
   * not at all. `modifiedMs` becomes the time of its last write.
   */
  write(path: string, bytes: Uint8Array, modifiedMs: number): Promise<void>;
  /** Removes a file; does nothing when it does not exist. */
  remove(path: string): Promise<void>;
}

/** Ends the name of a file that is not complete yet. */
export const PART_ENDING = ".part";
