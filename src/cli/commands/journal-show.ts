import { type Fixed, fixedText } from "../../domain/fixed.ts";
import { orderId, type OrderId } from "../../domain/ids.ts";
import type { Entry } from "../../journal/entry.ts";
import { carriedKey } from "../../orders/carried.ts";
import { operatorText } from "../../runtime/operator-text.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { openJournal, openRun, runAt, runOption, trustOptions } from "../journal-run.ts";
import { asPath, argument, integer, optionalArgument, parseTime } from "../option.ts";
import { timeText } from "../time-text.ts";

export default defineCliCommand({
  summary: "show inputs and decisions, batch by batch, or why an order was there",
  details:
    "With an order id: when and why it was decided, what the risk rules said, its command, every response and fill, and its end. With a time: the targets, orders and reasons of that moment, and the events of the second around it. Both re-run the recording.",
  args: {
    dir: asPath(argument("<dir>", "the folder that `journal.path` names")),
    subject: {
      ...optionalArgument(
        "[order|time]",
        "an order id, or a time (2026-01-31T12:00:00Z, or milliseconds since 1970)",
      ),
      takesHash: true,
    },
  },
  options: {
    run: runOption,
    from: integer("--from <seq>", "first batch to show", { min: 1, fallback: 1 }),
    limit: integer("--limit <n>", "number of batches to show", { min: 1, fallback: 100 }),
    ...trustOptions,
  },
  examples: [
    "journal show data/journal --from 1 --limit 20",
    "journal show data/journal --json",
    "journal show data/journal 2026-01-31T12:00:00.250Z",
    `journal show data/journal 0x${"5e".repeat(32)}`,
  ],
  async run({ args, options, terminal }) {
    const subject = subjectOf(args.subject);
    if (subject !== undefined) {
      const { store, runs } = await openJournal(args.dir);
      const { tellMoment, tellOrder } = await import("../journal-story.ts");
      if (options.run !== undefined) runAt(runs, options.run);
      const source = { store, runs, only: options.run, trust: options };
      if (typeof subject === "number") await tellMoment(source, subject, terminal);
      else await tellOrder(source, subject, terminal);
      return;
    }
    const { entriesOfRun } = await import("../../journal/segments.ts");
    const { store, run } = await openRun(args.dir, options.run);
    let shown = 0;
    let newest = 0;
    for (const entry of entriesOfRun(store, run)) {
      if (entry.type === "batch") {
        const { seq } = entry.entry.batch;
        if (shown >= options.limit) {
          terminal.note(`More batches follow; continue with --from ${seq}.`);
          return;
        }
        newest = seq;
        if (seq >= options.from) shown += 1;
      }
      if (newest < options.from && options.from > 1) continue;
      terminal.emit("journal.show", plain(entry));
      terminal.print(lineOf(entry));
    }
    if (shown === 0) terminal.note(`No batch from ${options.from} on; the last one is ${newest}.`);
  },
});

/** An order id, or a time in milliseconds. Throws a usage error. */
function subjectOf(written: string | undefined): OrderId | number | undefined {
  if (written === undefined) return undefined;
  const id = orderId(written);
  if (id !== undefined) return id;
  try {
    return parseTime(written);
  } catch {
    throw usageError(`${written} is neither an order id nor a time such as 2026-01-31T12:00:00Z.`);
  }
}

/** An entry as JSON: exact amounts as text, without signed bytes. */
function plain(entry: Entry): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(entry, (key, value: unknown) => {
    if (key === "bytesHex") return undefined;
    if (typeof value === "bigint") return fixedText(value as Fixed);
    return value instanceof Float64Array ? [...value] : value;
  });
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function lineOf(entry: Entry): string {
  switch (entry.type) {
    case "batch": {
      const { batch, effects } = entry.entry;
      const inputs =
        counted(batch.inputs.map((input) => operatorText(input) ?? input.type)) || "(time)";
      const decided =
        effects.length === 0 ? "" : ` → ${counted(effects.map((effect) => effect.type))}`;
      return `${String(batch.seq).padStart(7)}  ${timeText(batch.nowMs)}  ${inputs}${decided}`;
    }
    case "crash":
      return `last cancels  ${timeText(entry.crash.nowMs)}  ${entry.crash.message}`;
    case "run":
      return `signed from here on by ${entry.head.header.signer}`;
    case "adjusted": {
      const { nowMs, items } = entry.adjusted;
      return `adjusted by hand  ${timeText(nowMs)}  ${items.map(carriedKey).join(", ")}`;
    }
    case "measured":
      return `measured until  ${timeText(entry.measured.untilMs)}`;
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
