import { TouchlineError } from "../../base/error.ts";
import type { RunHeader } from "../../journal/entry.ts";
import type { SegmentName } from "../../journal/segments.ts";
import type { LogFields } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import type { Rerun } from "../../runtime/rerun.ts";
import type { entryLog as makeEntryLog } from "../../runtime/log-entries.ts";
import { defineCliCommand } from "../command.ts";
import { openRun, runOption } from "../journal-run.ts";
import { levelNames, levels, logText, type LogLevel } from "../log.ts";
import { asPath, argument, flag, oneOf } from "../option.ts";
import type { Terminal } from "../terminal.ts";
import { pauseOrStop } from "../watch-status.ts";

export default defineCliCommand({
  summary: "show what a bot's last run has logged",
  details:
    "The run is made again from its journal, so it needs no log file: the lines are those of the bot's steps, with their times. Lines about the process alone, such as its start, are on its stderr only.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    run: runOption,
    follow: flag("--follow", "go on with what the bot logs, until Ctrl-C"),
    level: oneOf<LogLevel>(
      "--level <level>",
      "the least severe lines: info, debug, warn or error",
      ["info", "debug", "warn", "error"],
    ),
  },
  examples: ["logs my-bot.yaml --level warn", "logs my-bot.yaml --follow"],
  endsBySignal: true,
  async run({
    args,
    options: { run: number, follow, level },
    overrides,
    terminal,
    interrupt,
    env,
  }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { listSegments } = await import("../../journal/segments.ts");
    const { journal } = await loadBotConfig(args.config, { overrides, env });
    const opened = await openRun(journal.path, number);
    const { store } = opened;
    const start = (header: RunHeader): Promise<ShownRun> =>
      ShownRun.open(header, args.config, level, terminal);
    let shown = await start(opened.run.header);
    await shown.read(store, opened.run.segments);
    if (!follow) return;
    while (!interrupt.stop.aborted) {
      await pauseOrStop(interrupt);
      const next = await shown.read(store, listSegments(store, journal.path));
      if (next !== undefined) shown = await start(next);
    }
  },
});

type EntryLog = typeof makeEntryLog;

/** A run whose log is shown, as far as its journal was read. */
class ShownRun {
  readonly #header: RunHeader;
  readonly #rerun: Rerun;
  readonly #terminal: Terminal;
  readonly #observe: ReturnType<EntryLog>;
  #seq = 0;
  #segment = 0;
  #nowMs = 0;
  #isFaithful = true;

  private constructor(
    header: RunHeader,
    {
      rerun,
      entryLog,
    }: {
      readonly rerun: Rerun;
      readonly entryLog: EntryLog;
    },
    level: LogLevel,
    terminal: Terminal,
  ) {
    this.#header = header;
    this.#rerun = rerun;
    this.#terminal = terminal;
    const line = (of: LogLevel) => (fields: LogFields, message: string) => {
      if (levels.indexOf(of) >= levels.indexOf(level)) this.#line(of, fields, message);
    };
    const log = {
      debug: line("debug"),
      info: line("info"),
      warn: line("warn"),
      error: line("error"),
    };
    this.#observe = entryLog(log, header.markets);
  }

  static async open(
    header: RunHeader,
    config: string,
    level: LogLevel,
    terminal: Terminal,
  ): Promise<ShownRun> {
    const { Rerun: Again } = await import("../../runtime/rerun.ts");
    const { entryLog } = await import("../../runtime/log-entries.ts");
    const { recordedStrategies } = await import("../journal-tools.ts");
    const strategies = await recordedStrategies(header, { config, trust: false });
    const rerun = new Again(header, strategies);
    return new ShownRun(header, { rerun, entryLog }, level, terminal);
  }

  /** Shows what was not read before, reading the newest segment that was read and those after it; returns the next run where there is one. */
  async read(store: Store, segments: readonly SegmentName[]): Promise<RunHeader | undefined> {
    const { runId, codeVersion } = this.#header;
    const { entriesOf, readSegment } = await import("../../journal/segments.ts");
    for (const name of segments) {
      if (name.number < this.#segment) continue;
      const segment = readSegment(store, name);
      if (segment.head === undefined) continue;
      if (segment.head.header.runId !== runId) return segment.head.header;
      this.#segment = name.number;
      for (const item of entriesOf(segment)) {
        if (item.type !== "batch" || item.entry.batch.seq <= this.#seq) continue;
        const { batch } = item.entry;
        if (batch.seq !== this.#seq + 1) {
          throw new TouchlineError(
            "JOURNAL_INCOMPLETE",
            `The journal has run ${runId} from batch ${batch.seq} on only, and a log is made from its beginning.`,
            {
              hint: "The setting journal.keep has deleted what was before. The bot's stderr has its log.",
            },
          );
        }
        this.#seq = batch.seq;
        this.#nowMs = batch.nowMs;
        const { notes, isFaithful } = this.#rerun.step(item.entry);
        if (!isFaithful && this.#isFaithful) {
          this.#terminal.warn(
            `the run was recorded by touchline ${codeVersion}, and from batch ${batch.seq} on this version decides otherwise: its lines are missing from there.`,
          );
        }
        this.#isFaithful = isFaithful;
        this.#observe({ batch, notes });
      }
    }
    return undefined;
  }

  #line(level: LogLevel, fields: LogFields, msg: string): void {
    const time = new Date(this.#nowMs).toISOString();
    this.#terminal.emit("log", { time, level, message: msg, ...fields });
    const number = Object.keys(levelNames).find((one) => levelNames[Number(one)] === level);
    const line = JSON.stringify({ level: Number(number), time: this.#nowMs, msg, ...fields });
    for (const text of logText(line)) this.#terminal.print(text);
  }
}
