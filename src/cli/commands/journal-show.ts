import { type Fixed, fixedText } from "../../domain/fixed.ts";
import type { Entry } from "../../journal/entry.ts";
import { carriedKey } from "../../orders/carried.ts";
import { defineCliCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { openJournal, runAt, runOption } from "../journal-run.ts";
import { argument, integer } from "../option.ts";
import { timeText } from "../time-text.ts";

export const journalShow = defineCliCommand({
  words: ["journal", "show"],
  summary: "show inputs and decisions, batch by batch",
  args: { dir: argument("<dir>", "the folder that `journal.path` names") },
  options: {
    run: runOption,
    from: integer("--from <seq>", "first batch to show", {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 1,
    }),
    limit: integer("--limit <n>", "number of batches to show", {
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      fallback: 100,
    }),
  },
  examples: ["journal show data/journal --from 1 --limit 20", "journal show data/journal --json"],
  async run({ args, options, terminal }) {
    const { store, runs } = await openJournal(args.dir);
    const { entriesOfRun } = await import("../../journal/segments.ts");
    let shown = 0;
    for (const entry of entriesOfRun(store, runAt(runs, options.run))) {
      if (entry.type === "batch" && entry.entry.batch.seq < options.from) continue;
      if (shown >= options.limit) break;
      shown += 1;
      terminal.emit("journal.show", plain(entry));
      terminal.print(lineOf(entry));
    }
    return exitCode.done;
  },
});

/** An entry as JSON: exact amounts as text, without signed bytes. */
function plain(entry: Entry): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(entry, (key, value: unknown) => {
    if (key === "bytesHex") return undefined;
    if (typeof value === "bigint") return fixedText(value as Fixed);
    return value instanceof Float64Array ? [...value] : value;
  });
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function lineOf(entry: Entry): string {
  switch (entry.type) {
    case "batch": {
      const { batch, effects } = entry.entry;
      const inputs = counted(batch.inputs.map((input) => input.type)) || "(time)";
      const decided =
        effects.length === 0 ? "" : ` → ${counted(effects.map((effect) => effect.type))}`;
      return `${String(batch.seq).padStart(7)}  ${timeText(batch.nowMs)}  ${inputs}${decided}`;
    }
    case "crash":
      return `crash  ${timeText(entry.crash.nowMs)}  ${entry.crash.message}`;
    case "run":
      return `signed from here on by ${entry.head.header.signer}`;
    case "adjusted": {
      const { nowMs, items } = entry.adjusted;
      return `adjusted by hand  ${timeText(nowMs)}  ${items.map(carriedKey).join(", ")}`;
    }
    case "checkpoint":
      return "checkpoint";
    case "synced":
      return `durable up to byte ${entry.bytes}`;
    case "end":
      return "end";
  }
}

/** Counts of names: `depth 3, trade`. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ${count}`)).join(", ");
}
