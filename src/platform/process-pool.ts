import { fork, type ChildProcess } from "node:child_process";
import os from "node:os";
import { fileURLToPath } from "node:url";

/** Number of processors that this process may use. */
export function processorCount(): number {
  return os.availableParallelism();
}

/** A message of a child that ends without a report: why. */
export interface LastWords {
  readonly lastWords: string;
}

interface PooledJob<Job, Report> {
  readonly job: Job;
  resolve(report: Report): void;
  reject(error: Error): void;
}

export interface ProcessPoolOptions<Report> {
  /** Module of the child processes: it answers each message, which is a job, with one message, which is its report. */
  readonly module: URL;
  /** Most processes; one is started when a job finds no idle one. */
  readonly size: number;
  /** Flags of Node beside our own ones. Default: none. */
  readonly flags?: readonly string[];
  /** Gives a report its type. */
  readonly read: (message: unknown) => Report;
}

/** Runs jobs in child processes, one job at a time in each. Jobs and reports are plain data. */
export class ProcessPool<Job extends object, Report> {
  readonly #options: ProcessPoolOptions<Report>;
  readonly #idle: ChildProcess[] = [];
  readonly #children = new Set<ChildProcess>();
  readonly #running = new Map<ChildProcess, PooledJob<Job, Report>>();
  readonly #waiting: PooledJob<Job, Report>[] = [];
  #isClosed = false;

  constructor(options: ProcessPoolOptions<Report>) {
    this.#options = options;
    // A child that is blocked does not notice that this process is gone.
    process.once("exit", this.#kill);
  }

  /** Rejects when the process ends without a report; another process takes its place. */
  run(job: Job): Promise<Report> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#assign();
    });
  }

  /** Ends all processes. What still runs or waits is rejected. */
  close(): void {
    this.#isClosed = true;
    process.off("exit", this.#kill);
    this.#kill();
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the pool is closed"));
  }

  readonly #kill = (): void => {
    for (const child of this.#children) child.kill();
  };

  #startChild(): ChildProcess {
    const { module, flags = [] } = this.#options;
    const execArgv = [...process.execArgv, ...flags];
    // What a job prints is no result: stdout belongs to the command.
    const child = fork(fileURLToPath(module), { execArgv, stdio: ["ignore", 2, 2, "ipc"] });
    this.#children.add(child);
    child.on("message", (message) => {
      if (typeof message === "object" && message !== null && "lastWords" in message) {
        this.#running.get(child)?.reject(new Error(String(message.lastWords)));
        this.#running.delete(child);
        return;
      }
      const done = this.#running.get(child);
      this.#running.delete(child);
      this.#idle.push(child);
      done?.resolve(this.#options.read(message));
      this.#assign();
    });
    child.on("exit", (code, signal) => this.#ended(child, String(code ?? signal)));
    return child;
  }

  #ended(child: ChildProcess, how: string): void {
    this.#children.delete(child);
    const at = this.#idle.indexOf(child);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#running.get(child)?.reject(new Error(`its process ended without a report (${how})`));
    this.#running.delete(child);
    if (!this.#isClosed) this.#assign();
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const hasRoom = this.#children.size < this.#options.size;
      const child = this.#idle.pop() ?? (hasRoom ? this.#startChild() : undefined);
      if (child === undefined) return;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#running.set(child, next);
      child.send(next.job);
    }
  }
}
