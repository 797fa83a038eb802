import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import type { AppendFile } from "../ports/store.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import { jobReport, type JobReport, type SweepJob } from "./job.ts";

const JOB_LOG_FILE = "jobs.ndjson";
const NEWLINE = 0x0a;

const entry = z.object({ id: z.string(), report: jobReport });
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * The finished jobs of a sweep's folder, one line each, written as soon as a job ends. A sweep that starts again reads them, so that no
 * job runs twice. Locks the folder until `close`.
 */
export class JobLog {
  readonly #io: RecordingIo;
  readonly #folder: string;
  readonly #file: AppendFile;
  readonly #reports = new Map<string, JobReport>();

  /** Throws TouchlineError `SWEEP_RUNNING` when another process uses the folder. */
  constructor(io: RecordingIo, folder: string) {
    const { store } = io;
    if (!store.lock(folder)) {
      throw new TouchlineError("SWEEP_RUNNING", `Another sweep writes to ${folder}.`, {
        hint: "Wait for its end, or name another folder with --out.",
      });
    }
    this.#io = io;
    this.#folder = folder;
    const path = `${folder}/${JOB_LOG_FILE}`;
    const bytes = store.read(path) ?? new Uint8Array();
    // What follows the last newline was being written when the process was killed.
    const truncateTo = bytes.lastIndexOf(NEWLINE) + 1;
    const text = decoder.decode(bytes.subarray(0, truncateTo));
    for (const line of text.split("\n")) this.#read(line);
    this.#file = store.openAppend(path, { truncateTo });
  }

  /** The report of a job that has ended; undefined when it has to run. */
  report(id: string): JobReport | undefined {
    return this.#reports.get(id);
  }

  add(job: SweepJob, report: JobReport): void {
    const { id, overrides, recording, fromMs = null, toMs = null } = job;
    const { folder } = recording;
    const line = { id, overrides, recording: folder, from: fromMs, to: toMs, report };
    this.#file.append(encoder.encode(`${JSON.stringify(line)}\n`));
    this.#reports.set(id, report);
  }

  close(): void {
    this.#file.close();
    this.#io.store.unlock(this.#folder);
  }

  /** A line that is damaged is as good as missing: its job runs again. */
  #read(line: string): void {
    let written: unknown;
    try {
      written = JSON.parse(line);
    } catch {
      return;
    }
    const parsed = entry.safeParse(written);
    if (!parsed.success) return;
    const { id, report } = parsed.data;
    // What failed is tried again: a full disk or a missing file may be the reason, and a config that does not fit fails at once.
    if (report.result === null) this.#reports.delete(id);
    else this.#reports.set(id, report);
  }
}
