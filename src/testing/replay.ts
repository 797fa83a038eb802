/** Replays a recording from code: `import { replay } from "touchline/replay"`, and from "touchline/testing". */
import path from "node:path";
import type { z } from "zod";
import { guardStrategies } from "../backtest/impure-calls.ts";
import { ReplayDetails } from "../backtest/replay-details.ts";
import type { ReplayResult } from "../backtest/replay-result.ts";
import type { TableRows } from "../backtest/replay-tables.ts";
import { runReplay } from "../backtest/run-replay.ts";
import { botConfigFrom, loadBotConfig, type BotConfig } from "../config/load-bot-config.ts";
import type { modelsSchema } from "../config/models-config.ts";
import { parseYaml } from "../config/parse-yaml.ts";
import { systemClock } from "../platform/clock.ts";
import { nodeCompression } from "../platform/compression.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import { createStore } from "../platform/store.ts";
import { systemTimer } from "../platform/timer.ts";
import { Recording } from "../recordings/recording.ts";

export type { ReplayResult, ReplayStrategyResult } from "../backtest/replay-result.ts";
export type {
  ReplayEquity,
  ReplayFill,
  ReplayMarkout,
  ReplayOrder,
} from "../backtest/replay-tables.ts";

export interface ReplayCallOptions {
  /** A bot's YAML by its path, or its content as plain data; paths in plain data are relative to the working directory. */
  readonly config: string | Readonly<Record<string, unknown>>;
  /** Folder of the recording. */
  readonly recording: string;
  /** The simulated venue's models as in the YAML; each of `fills`, `latency` and `fees` replaces the config's. */
  readonly models?: z.input<typeof modelsSchema>;
  /** The recording's market for each market of the config, where their names differ. */
  readonly markets?: Readonly<Record<string, string>>;
  /** The bot starts with the first event at or after `from`; no event after `to` is played. Unix milliseconds. */
  readonly from?: number;
  readonly to?: number;
  /** Ends the replay; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A replay's result with its tables as arrays, oldest row first. */
export interface ReplayRun extends TableRows {
  /** The result line of `touchline replay --json`. */
  readonly result: ReplayResult;
  readonly warnings: readonly string[];
}

/**
 * Replays a bot's config over a recording, as `touchline replay` does: the same options give the same result, except for `wallMs` and
 * `levelChangesPerSecond`. Rejects with TouchlineError, for instance ConfigError, `RECORDING_MISSING` or `MARKET_NOT_RECORDED`.
 */
export async function replay(options: ReplayCallOptions): Promise<ReplayRun> {
  const { models, markets, from, to, signal } = options;
  guardStrategies();
  const config = await configOf(options.config, overridesOf(models ?? {}));
  const io = { store: createStore(), compression: nodeCompression };
  const keccak256 = await loadKeccak256();
  const details = new ReplayDetails();
  const { result, warnings } = await runReplay({
    config,
    recording: new Recording(io, options.recording),
    keccak256,
    clock: systemClock,
    names: new Map(Object.entries(markets ?? {})),
    fromMs: from,
    toMs: to,
    details,
    async pause() {
      await new Promise<void>((resolve) => systemTimer.soon(resolve));
      signal?.throwIfAborted();
    },
  });
  return { result, warnings, ...details.tables };
}

function configOf(
  config: ReplayCallOptions["config"],
  overrides: readonly string[],
): Promise<BotConfig> {
  if (typeof config === "string") return loadBotConfig(config, { overrides, needs: "nothing" });
  // JSON is YAML. The name of the file is only for paths and for messages.
  const text = JSON.stringify(config);
  const source = parseYaml({ file: path.resolve("config"), text, env: {}, overrides });
  return botConfigFrom(source, { needs: "nothing" });
}

/** The models as values of `--set`. */
function overridesOf(models: NonNullable<ReplayCallOptions["models"]>): readonly string[] {
  return Object.entries(models).flatMap(([name, settings]) =>
    settings === undefined ? [] : [`models.${name}=${JSON.stringify(settings)}`],
  );
}
