import { Worker } from "node:worker_threads";

export type CheckpointTask = "fold" | "close";

export interface CheckpointThreadData {
  readonly path: string;
  /** One 32-bit number, 1 once the thread has closed its connection. */
  readonly closed: SharedArrayBuffer;
}

/** What is written between two checkpoints. */
const BYTES_PER_CHECKPOINT = 2 * 1024 * 1024;
/** A checkpoint that runs when the database is closed is waited for so long. */
const CLOSE_WAIT_MS = 30_000;

// The built package has JavaScript.
const thread = import.meta.url.endsWith(".ts") ? "checkpoint-thread.ts" : "checkpoint-thread.js";

/**
 * Checkpoints of an SQLite file in write-ahead mode on a thread of their own: they sync the disk, which takes from
 * milliseconds to a good part of a second, and no commit has to wait for that. The thread starts with the first one.
 */
export class Checkpoints {
  readonly #data: CheckpointThreadData;
  readonly #failed: () => void;
  #worker: Worker | undefined;
  #written = 0;
  #isBusy = false;
  #hasFailed = false;

  /** `failed`: there is no thread any more, somebody else has to do it. */
  constructor(path: string, failed: () => void) {
    this.#data = { path, closed: new SharedArrayBuffer(4) };
    this.#failed = failed;
  }

  /** So much was committed. */
  note(bytes: number): void {
    this.#written += bytes;
    if (this.#written < BYTES_PER_CHECKPOINT || this.#isBusy || this.#hasFailed) return;
    this.#written = 0;
    this.#isBusy = true;
    this.#worker ??= this.#start();
    this.#tell("fold");
  }

  /** Ends the thread; returns once its connection is closed. */
  close(): void {
    if (this.#worker === undefined || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#tell("close");
    Atomics.wait(new Int32Array(this.#data.closed), 0, 0, CLOSE_WAIT_MS);
  }

  #start(): Worker {
    const worker = new Worker(new URL(thread, import.meta.url), { workerData: this.#data });
    // It has nothing to do that the process would have to stay for.
    worker.unref();
    worker.on("message", () => {
      this.#isBusy = false;
    });
    const ended = (): void => {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.#failed();
    };
    worker.on("error", ended);
    worker.on("exit", ended);
    return worker;
  }

  #tell(task: CheckpointTask): void {
    this.#worker?.postMessage(task, []);
  }
}
