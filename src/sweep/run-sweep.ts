/**
 * The room `sweep`: a search for parameters over recordings (docs/sweep.md).
 *
 * `planSweep` names the searches: one, or one for each walk-forward window. A `Search` proposes combinations of a `ParameterSpace`; each becomes one
 * `SweepJob` for each recording, a value that any process or machine can run (`JobRunner`), and `JobLog` keeps its report. `trialOf` adds the reports up,
 * `judgeTrials` ranks the trials and warns of overfitting. `sweep-files.ts` and `sweep-page.ts` write the result.
 *
 * An application: may import every room above it.
 */

import { overridesOf, type SweepConfig } from "../config/load-sweep-config.ts";
import type { Environment } from "../config/parse-yaml.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import { failedReport, type JobReport, type RunJob, type SweepJob } from "./job.ts";
import { type JobIdentity, jobId } from "./job-id.ts";
import type { JobLog } from "./job-log.ts";
import { ParameterSpace, type Point } from "./parameter-space.ts";
import { compileRecordings, type PlannedSearch, planSweep } from "./plan.ts";
import { searchOf } from "./search-of.ts";
import { ranked, type Trial, trialOf } from "./trial.ts";
import type { Span } from "./walk-forward.ts";

/** How far a sweep is, in jobs. */
export interface SweepProgress {
  /** Jobs that have ended, those of an earlier start included. */
  readonly done: number;
  readonly total: number;
  /** Jobs whose report an earlier start left. */
  readonly reused: number;
}

export interface SweepOptions {
  readonly config: SweepConfig;
  /** Version of the code; results of another version are not reused. */
  readonly version: string;
  readonly io: RecordingIo;
  /** Values of `${NAME}` in the bot's config. */
  readonly env: Environment;
  /** Runs one job; called for all that can run now, so it has to queue them. */
  readonly runJob: RunJob;
  readonly log: JobLog;
  /** Called every few milliseconds of work, so that the process can handle signals. */
  readonly pause: () => Promise<void>;
  readonly onProgress: (progress: SweepProgress) => void;
}

/** What a sweep has found, in an order that does not depend on the number of workers. */
export interface SweepOutcome {
  /** By window, in the order of the proposals, the test last. */
  readonly trials: readonly Trial[];
  /** Distinct warnings of the replays. */
  readonly replayWarnings: readonly string[];
  readonly progress: SweepProgress;
}

/**
 * Runs a sweep. The same config, recordings and version give the same trials, whatever the number of workers and however often it was
 * killed and started again. A job that fails is a trial with a reason. Rejects as `planSweep` does.
 */
export async function runSweep(options: SweepOptions): Promise<SweepOutcome> {
  const { config, io, pause } = options;
  const said = await compileRecordings(config, io, pause);
  const plans = await planSweep(config, io, pause);
  const run = new SweepRun(options, plans);
  const found = await Promise.all(plans.map((plan) => run.search(plan)));
  const warnings = new Set([...said, ...found.flatMap((each) => each.warnings)]);
  return {
    trials: found.flatMap((each) => each.trials),
    replayWarnings: [...warnings],
    progress: run.progress,
  };
}

class SweepRun {
  readonly #options: SweepOptions;
  readonly #space: ParameterSpace;
  readonly #identity: JobIdentity;
  /** By id: jobs of two windows may be equal. */
  readonly #running = new Map<string, Promise<JobReport>>();
  #progress: SweepProgress;

  constructor(options: SweepOptions, plans: readonly PlannedSearch[]) {
    const { config, version, env, io } = options;
    this.#options = options;
    this.#space = new ParameterSpace(config.parameters);
    this.#identity = { version, env, io };
    const runs = Math.min(this.#space.size, config.runs ?? Infinity);
    const total = plans.reduce(
      (sum, { recordings, test }) =>
        sum + (runs + (test === undefined ? 0 : 1)) * recordings.length,
      0,
    );
    this.#progress = { done: 0, total, reused: 0 };
  }

  get progress(): SweepProgress {
    return this.#progress;
  }

  /** Searches one window and tests its best combination. */
  async search(
    plan: PlannedSearch,
  ): Promise<{ readonly trials: readonly Trial[]; readonly warnings: readonly string[] }> {
    const { config } = this.#options;
    const { window, span, test } = plan;
    const search = searchOf(this.#space, config, `window ${window ?? 0}`);
    const trials: Trial[] = [];
    const warnings: string[] = [];
    const evaluate = async (point: Point, phase: Trial["phase"], during: Span | undefined) => {
      const values = this.#space.valuesAt(point);
      const jobs = this.#jobsOf(plan, values, during);
      const reports = await Promise.all(jobs.map((job) => this.#report(job)));
      return { trial: trialOf({ window, phase, point, values, jobs }, reports, config), reports };
    };
    const add = ({ trial, reports }: Awaited<ReturnType<typeof evaluate>>): void => {
      trials.push(trial);
      for (const report of reports) warnings.push(...report.warnings);
    };
    for (;;) {
      const scored = trials.map(({ point, objective }) => ({
        point,
        score: objective ?? undefined,
      }));
      const points = search.next(scored);
      if (points.length === 0) break;
      const batch = await Promise.all(points.map((point) => evaluate(point, "search", span)));
      for (const each of batch) add(each);
    }
    const [best] = ranked(trials);
    if (test !== undefined && best !== undefined) add(await evaluate(best.point, "test", test));
    return { trials, warnings };
  }

  #jobsOf(
    plan: PlannedSearch,
    values: readonly unknown[],
    span: Span | undefined,
  ): readonly SweepJob[] {
    const { config } = this.#options;
    const overrides = config.parameters.flatMap((parameter, at) =>
      overridesOf(parameter, values[at]),
    );
    return plan.recordings.map((recording): SweepJob => {
      const job = { bot: config.bot, overrides, recording, markets: config.markets, ...span };
      return { ...job, id: jobId(job, this.#identity) };
    });
  }

  async #report(job: SweepJob): Promise<JobReport> {
    const { log } = this.#options;
    const isReused = !this.#running.has(job.id) && log.report(job.id) !== undefined;
    const running = this.#running.get(job.id) ?? this.#run(job);
    this.#running.set(job.id, running);
    const report = await running;
    this.#ended(isReused);
    return report;
  }

  async #run(job: SweepJob): Promise<JobReport> {
    const { log, runJob } = this.#options;
    const known = log.report(job.id);
    if (known !== undefined) return known;
    let report: JobReport;
    try {
      report = await runJob(job);
    } catch (error) {
      // The process of the job has ended; the job is tried again at the next start.
      return failedReport(error);
    }
    log.add(job, report);
    return report;
  }

  #ended(isReused: boolean): void {
    const { done, total, reused } = this.#progress;
    this.#progress = { done: done + 1, total, reused: reused + (isReused ? 1 : 0) };
    this.#options.onProgress(this.#progress);
  }
}
