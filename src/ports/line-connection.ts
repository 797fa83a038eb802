/** One side of an open connection that carries lines of text. */
export interface LineConnection {
  /** Queues a line. A peer that does not read for long is cut off. */
  send(line: string): void;
  /** Closes the connection once everything queued has left. */
  end(): void;
  /** Calls `listener` for each line from now on. */
  onLine(listener: (line: string) => void): void;
  /** Resolves when the connection is closed, whichever side did it. */
  readonly closed: Promise<void>;
}
