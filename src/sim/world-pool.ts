import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { WorldOptions, WorldReport } from "./world.ts";

const workerFile = fileURLToPath(new URL("world-worker.ts", import.meta.url));

interface Job {
  readonly options: WorldOptions;
  resolve(report: WorldReport): void;
  reject(error: Error): void;
}

/** Runs worlds in child processes, each one world at a time. */
export class WorldPool {
  readonly #idle: ChildProcess[] = [];
  readonly #children = new Set<ChildProcess>();
  readonly #jobs = new Map<ChildProcess, Job>();
  readonly #waiting: Job[] = [];

  constructor(size: number) {
    for (let count = 0; count < size; count += 1) this.#startChild();
  }

  /** Rejects when the process ends without a result. */
  run(options: WorldOptions): Promise<WorldReport> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ options, resolve, reject });
      this.#assign();
    });
  }

  close(): void {
    for (const child of this.#children) child.kill();
  }

  #startChild(): void {
    const child = fork(workerFile, { execArgv: process.execArgv });
    this.#children.add(child);
    this.#idle.push(child);
    child.on("message", (message) => {
      const job = this.#jobs.get(child);
      this.#jobs.delete(child);
      this.#idle.push(child);
      // Only `world-worker.ts` sends messages.
      job?.resolve(message as WorldReport);
      this.#assign();
    });
    child.on("exit", (code) => {
      this.#children.delete(child);
      const job = this.#jobs.get(child);
      job?.reject(new Error(`the world of seed ${job.options.seed} ended its process: ${code}`));
    });
  }

  #assign(): void {
    while (this.#idle.length > 0) {
      const job = this.#waiting.shift();
      if (job === undefined) return;
      const child = this.#idle.pop();
      if (child === undefined) return;
      this.#jobs.set(child, job);
      child.send(job.options);
    }
  }
}
