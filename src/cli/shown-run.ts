import { TouchlineError } from "../base/error.ts";
import type { RunHeader } from "../journal/entry.ts";
import { entriesOf, readSegment, type SegmentName } from "../journal/segments.ts";
import type { LogFields } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";
import { entryLog } from "../runtime/log-entries.ts";
import { Rerun } from "../runtime/rerun.ts";
import { recordedStrategies } from "./journal-tools.ts";
import { levelNames, levels, type LogLevel, logText } from "./log.ts";
import type { Terminal } from "./terminal.ts";

/** A run whose log is shown, as far as its journal was read. */
export class ShownRun {
  readonly #header: RunHeader;
  readonly #rerun: Rerun;
  readonly #terminal: Terminal;
  readonly #observe: ReturnType<typeof entryLog>;
  #seq = 0;
  #segment = 0;
  #nowMs = 0;
  #isFaithful = true;

  private constructor(header: RunHeader, rerun: Rerun, level: LogLevel, terminal: Terminal) {
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
    const strategies = await recordedStrategies(header, { config, trust: false });
    return new ShownRun(header, new Rerun(header, strategies), level, terminal);
  }

  /** Shows what was not read before, reading the newest segment that was read and those after it; returns the next run where there is one. */
  read(store: Store, segments: readonly SegmentName[]): RunHeader | undefined {
    const { runId, codeVersion } = this.#header;
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
