import { fork } from "node:child_process";
import path from "node:path";
import { faultsOf, lineOf, type Outcome, rowOf } from "./lied-to.ts";
import { type Lie, lies } from "./lies.ts";

/** Processes at the same time, each with a bot and a venue of its own. */
const AT_ONCE = 3;

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

/** Tells each lie to a bot of its own, a few at a time. */
export async function tellLies(told: readonly Lie[]): Promise<Told> {
  const queue = [...told];
  const lines: string[] = [];
  const failed: string[] = [];
  const rows = new Map<Lie, string>();
  let [grownMiB, stallMs] = [0, 0];
  const work = async (): Promise<void> => {
    for (let lie = queue.shift(); lie !== undefined; lie = queue.shift()) {
      const outcome = await outcomeOf(lie).catch((error: unknown) => String(error));
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
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const head =
    "| lie | the bot | orders left | grown by, MiB | longest stall, ms | most processor time of one stall, ms |\n|---|---|---|---|---|---|";
  const table = [head, ...told.flatMap((lie) => rows.get(lie) ?? [])].join("\n");
  return { lines, failed, table, grownMiB, stallMs };
}

function outcomeOf(lie: Lie): Promise<Outcome> {
  const script = path.join(import.meta.dirname, "one-lie.ts");
  const child = fork(script, [String(lies.indexOf(lie))], {
    execArgv: ["--conditions=touchline-source"],
  });
  return new Promise((resolve, reject) => {
    child.once("message", (outcome: Sent) =>
      resolve({ ...outcome, codes: new Map(outcome.codes) }),
    );
    child.once("exit", (code) => reject(new Error(`its process ended with ${code}`)));
  });
}

/** An outcome as it passes between processes. */
type Sent = Omit<Outcome, "codes"> & { readonly codes: readonly (readonly [string, number])[] };
