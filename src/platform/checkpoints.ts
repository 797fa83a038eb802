import { Worker } from "node:worker_threads";

export type CheckpointTask = "fold" | "close";

export interface CheckpointThreadData {
  readonly path: string;
  /** One 32-bit number, 1 once the thread has closed its connection. */
  readonly closed: SharedArrayBuffer;
}

/** Bytes written between two checkpoints. */
const BYTES_PER_CHECKPOINT = 2 * 1024 * 1024;
/** How long closing the database waits for a running checkpoint. */
const CLOSE_WAIT_MS = 30_000;

// The built package contains JavaScript.
const thread = import.meta.url.endsWith(".ts") ? "checkpoint-thread.ts" : "checkpoint-thread.js";

/**
 * Runs the checkpoints of an SQLite file in write-ahead mode on a worker thread. They sync the disk, which takes from
 * milliseconds to most of a second, and no commit has to wait for that. The first checkpoint starts the thread.
 */
export class Checkpoints {
  readonly #data: CheckpointThreadData;
  readonly #onFailure: () => void;
  #worker: Worker | undefined;
  #written = 0;
  #isBusy = false;
  #hasFailed = false;

  /** `failed` is called when the thread ended unexpectedly; the caller must run checkpoints itself from then on. */
  constructor(path: string, onFailure: () => void) {
    this.#data = { path, closed: new SharedArrayBuffer(4) };
    this.#onFailure = onFailure;
  }

  /** Call after each commit with the number of bytes it wrote. */
  note(bytes: number): void {
    this.#written += bytes;
    if (this.#written < BYTES_PER_CHECKPOINT || this.#isBusy || this.#hasFailed) return;
    this.#written = 0;
    this.#isBusy = true;
    this.#worker ??= this.#start();
    this.#post("fold");
  }

  /** Ends the thread; returns once its connection is closed, or after 30 s. */
  close(): void {
    if (this.#worker === undefined || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#post("close");
    Atomics.wait(new Int32Array(this.#data.closed), 0, 0, CLOSE_WAIT_MS);
  }

  #start(): Worker {
    const worker = new Worker(new URL(thread, import.meta.url), { workerData: this.#data });
    // The thread must not keep the process alive.
    worker.unref();
    worker.on("message", () => {
      this.#isBusy = false;
    });
    const ended = (): void => {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.#onFailure();
    };
    worker.on("error", ended);
    worker.on("exit", ended);
    return worker;
  }

  #post(task: CheckpointTask): void {
    this.#worker?.postMessage(task, []);
  }
}
