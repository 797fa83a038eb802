import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { faultsOf, lineOf, type Outcome, rowOf } from "./lied-to.ts";
import { type Lie, lies } from "./lies.ts";

export interface Told {
  /** One line for each lie. */
  readonly lines: readonly string[];
  readonly failed: readonly string[];
  /** One row for each lie, with a head: what the bot does, orders left, memory, stall. */
  readonly table: string;
  /** Of all lies, the most that a process grew, MiB, and its longest stall, ms. */
  readonly grownMiB: number;
  readonly stallMs: number;
}

/**
 * Tells each lie to a bot of its own, in `atOnce` processes at the same time. With `perProcess` 1, memory and stalls are those of the lie
 * alone; lies that follow one another in a process save its start.
 */
export async function tellLies(
  told: readonly Lie[],
  { perProcess, atOnce }: { readonly perProcess: number; readonly atOnce: number },
): Promise<Told> {
  const queue = [...told];
  const lines: string[] = [];
  const failed: string[] = [];
  const rows = new Map<Lie, string>();
  let [grownMiB, stallMs] = [0, 0];
  const work = async (): Promise<void> => {
    const teller = new Teller(perProcess);
    for (let lie = queue.shift(); lie !== undefined; lie = queue.shift()) {
      const outcome = await teller.tell(lie).catch((error: unknown) => String(error));
      if (typeof outcome === "string") {
        failed.push(`FAIL ${lie.name}: ${outcome}`);
        lines.push(failed.at(-1) ?? "");
        continue;
      }
      const faults = faultsOf(outcome, lie.expected);
      const line = lineOf(outcome, faults);
      lines.push(line);
      rows.set(lie, rowOf(outcome));
      grownMiB = Math.max(grownMiB, outcome.grownMiB);
      stallMs = Math.max(stallMs, outcome.stallMs);
      if (faults.length > 0) failed.push(line);
    }
    teller.end();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const head =
    "| lie | the bot | orders left | grown by, MiB | longest stall, ms | most processor time of one stall, ms |\n|---|---|---|---|---|---|";
  const table = [head, ...told.flatMap((lie) => rows.get(lie) ?? [])].join("\n");
  return { lines, failed, table, grownMiB, stallMs };
}

/** Tells lies in a process, and in a new one after `perProcess` lies or when the process has ended by itself. */
class Teller {
  readonly #perProcess: number;
  #child: ChildProcess | undefined;
  #told = 0;

  constructor(perProcess: number) {
    this.#perProcess = perProcess;
  }

  async tell(lie: Lie): Promise<Outcome> {
    if (this.#told === this.#perProcess) this.end();
    this.#child ??= fork(path.join(import.meta.dirname, "lie-teller.ts"), {
      execArgv: ["--conditions=touchline-source"],
    });
    this.#told += 1;
    try {
      return await outcomeOf(lie, this.#child);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    this.#told = 0;
  }
}

function outcomeOf(lie: Lie, child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`its process ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (outcome: Sent) => {
      child.off("exit", ended);
      resolve({ ...outcome, codes: new Map(outcome.codes) });
    });
    child.send(lies.indexOf(lie));
  });
}

/** An outcome as it passes between processes. */
type Sent = Omit<Outcome, "codes"> & { readonly codes: readonly (readonly [string, number])[] };
