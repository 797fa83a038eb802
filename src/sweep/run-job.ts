import { TouchlineError } from "../base/error.ts";
import { guardStrategies } from "../backtest/impure-calls.ts";
import { runReplay } from "../backtest/run-replay.ts";
import { botConfigFrom } from "../config/load-bot-config.ts";
import { type Environment, parseYaml } from "../config/parse-yaml.ts";
import type { Clock } from "../ports/clock.ts";
import { Recording } from "../recordings/recording.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { failedReport, jobReport, type JobReport, type SweepJob } from "./job.ts";
import { recordingChecksum } from "./recording-checksum.ts";

export interface JobTools {
  readonly io: RecordingIo;
  readonly keccak256: Keccak256;
  readonly clock: Clock;
  /** Values of `${NAME}` in the config. */
  readonly env: Environment;
  /** Called every few milliseconds of work, so that the process can handle signals. */
  readonly pause: () => Promise<void>;
}

/** Runs jobs in this process. A recording is opened, and compared with its checksum, once. */
export class JobRunner {
  readonly #tools: JobTools;
  readonly #recordings = new Map<string, OpenedRecording>();

  constructor(tools: JobTools) {
    this.#tools = tools;
  }

  /** Never rejects: what is wrong with a config, a recording or a strategy is the report's reason. */
  async run(job: SweepJob): Promise<JobReport> {
    try {
      return await this.#replay(job);
    } catch (error) {
      return failedReport(error);
    }
  }

  async #replay({ bot, overrides, recording, markets, fromMs, toMs }: SweepJob) {
    const { keccak256, clock, env, pause } = this.#tools;
    guardStrategies();
    const source = parseYaml({ ...bot, env, overrides });
    const config = await botConfigFrom(source, { env, overrides, needs: "nothing" });
    const { result, warnings, finished } = await runReplay({
      config,
      recording: this.#opened(recording),
      keccak256,
      clock,
      names: new Map(Object.entries(markets)),
      fromMs,
      toMs,
      pause,
    });
    const reason = finished?.ok === true ? null : "the bot did not end in order";
    return jobReport.parse({ result, reason, warnings });
  }

  #opened({ folder, checksum }: SweepJob["recording"]): Recording {
    const { io } = this.#tools;
    const known = this.#recordings.get(folder);
    const { recording, checksum: found } = known ?? {
      recording: new Recording(io, folder),
      checksum: recordingChecksum(io, folder),
    };
    this.#recordings.set(folder, { recording, checksum: found });
    if (found === checksum) return recording;
    throw new TouchlineError("RECORDING_CHANGED", `${folder} is not the recording of the sweep.`);
  }
}

interface OpenedRecording {
  readonly recording: Recording;
  readonly checksum: string;
}
