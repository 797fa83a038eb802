import { guardStrategies } from "../backtest/impure-calls.ts";
import { replaySteps } from "../backtest/run-replay.ts";
import { botConfigFrom } from "../config/load-bot-config.ts";
import { type Environment, parseYaml } from "../config/parse-yaml.ts";
import { systemClock } from "../platform/clock.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import { Recording } from "../recordings/recording.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import type { SweepJob } from "../sweep/job.ts";
import { withProgress } from "./progress.ts";
import { openOutput } from "./replay-output.ts";
import type { Terminal } from "./terminal.ts";

export interface OpenRunOptions {
  readonly io: RecordingIo;
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Folder of the results; several recordings get one each below it. */
  readonly out: string;
}

/** Replays a run of a sweep once more, and writes what `replay --out` writes. Returns the folders. */
export async function openRun(
  jobs: readonly SweepJob[],
  { io, env, terminal, out }: OpenRunOptions,
): Promise<readonly string[]> {
  guardStrategies();
  const keccak256 = await loadKeccak256();
  const folders: string[] = [];
  for (const [at, job] of jobs.entries()) {
    const folder = jobs.length === 1 ? out : `${out}/${at + 1}`;
    const { bot, overrides, recording: place, markets, fromMs, toMs } = job;
    const source = parseYaml({ ...bot, env, overrides });
    const config = await botConfigFrom(source, { env, overrides, needs: "nothing" });
    const recording = new Recording(io, place.folder);
    const output = await openOutput(io, { out: folder, report: undefined });
    const names = new Map(Object.entries(markets));
    const { details } = output ?? {};
    const replay = { config, recording, keccak256, clock: systemClock, names, details };
    const report = await withProgress(
      terminal,
      "replaying",
      replaySteps({ ...replay, fromMs, toMs }),
    );
    const { manifest } = recording;
    await output?.write({ config, manifest, report, warnings: report.warnings, env });
    folders.push(folder);
  }
  return folders;
}
