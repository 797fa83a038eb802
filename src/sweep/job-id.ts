import { replayFiles } from "../config/config-files.ts";
import { type Environment, parseYaml, variableNames } from "../config/parse-yaml.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import type { SweepJob } from "./job.ts";

/** What a job's result depends on beside the job itself. */
export interface JobIdentity {
  readonly version: string;
  readonly env: Environment;
  readonly io: RecordingIo;
}

/**
 * The id of a job: SHA-256 over the config's text, the values of its variables, the files that it names (`replayFiles`), overrides,
 * recording, span and version. Where the files are does not count.
 */
export function jobId(job: Omit<SweepJob, "id">, { version, env, io }: JobIdentity): string {
  const { bot, overrides, recording, markets, fromMs = null, toMs = null } = job;
  const variables = [...variableNames(bot.text)].map((name) => [name, env[name] ?? null]);
  const source = parseYaml({ ...bot, env, overrides });
  source.mergeDefaults();
  const files = replayFiles(source).map((file) => {
    const bytes = io.store.read(file);
    return bytes === undefined ? null : io.compression.sha256(bytes);
  });
  const parts = [version, bot.text, variables, files, overrides, recording.checksum, markets];
  const text = JSON.stringify([...parts, fromMs, toMs]);
  return io.compression.sha256(new TextEncoder().encode(text));
}
