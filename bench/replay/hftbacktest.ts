import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const python = process.env["TOUCHLINE_BENCH_PYTHON"] ?? "python3";

export const HFTBACKTEST_MISSING =
  "hftbacktest is not installed: python3 -m venv v && v/bin/pip install hftbacktest==2.4.4, then TOUCHLINE_BENCH_PYTHON=v/bin/python";

/** hftbacktest in a process of its own, on the files of set 01. */
export class Hftbacktest {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;
  /** Level changes of the set, best bid and ask at its end, and the version. */
  readonly ready: Promise<{
    readonly levelChanges: number;
    readonly bid: number;
    readonly ask: number;
    readonly version: string;
  }>;

  constructor(folder: string) {
    const script = path.join(import.meta.dirname, "hftbacktest_side.py");
    this.#child = spawn(python, [script, folder], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface(this.#child.stdout);
    this.ready = this.#line().then(([, changes, bid, ask, version = ""]) => ({
      levelChanges: Number(changes),
      bid: Number(bid),
      ask: Number(ask),
      version,
    }));
  }

  /** Whether Python and the package are there. */
  static isInstalled(): boolean {
    return spawnSync(python, ["-c", "import hftbacktest"], { stdio: "ignore" }).status === 0;
  }

  /** Processor time of the process so far, without its start. */
  processorMs = 0;

  /** Runs this many steps of 100 ms. */
  async run(what: "book" | "grid", steps: number): Promise<void> {
    this.#child.stdin.write(`${what} ${Math.max(1, Math.round(steps))}\n`);
    const [, seconds] = await this.#line();
    this.processorMs = Number(seconds) * 1000;
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }

  async #line(): Promise<string[]> {
    const [line] = (await once(this.#lines, "line")) as [string];
    return line.split(" ");
  }
}
