import { isDeepStrictEqual } from "node:util";
import { TouchlineError } from "../base/error.ts";
import { suggestion } from "../base/nearest.ts";
import {
  type BotConfig,
  type BotConfigOptions,
  loadBotConfig,
  type StrategySettings,
} from "../config/load-bot-config.ts";
import { ConfigError, type Problem } from "../config/problem.ts";
import { parseYaml } from "../config/parse-yaml.ts";
import type { Tuned } from "../control/protocol.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { withMarketIds } from "../domain/market-of-ticker.ts";
import type { WrittenParams } from "../kernel/input.ts";
import type { Bot } from "../runtime/bot.ts";
import { reviewAt } from "../runtime/warn-about-settings.ts";

/** A configuration as it was loaded, and how. */
export interface LoadedConfig {
  readonly config: BotConfig;
  readonly options: Pick<BotConfigOptions, "overrides" | "env" | "needs">;
}

/** The part of a configuration that is tuned. */
export interface Tunable {
  readonly file: string;
  readonly strategies: readonly Pick<
    StrategySettings,
    "name" | "definition" | "params" | "writtenParams"
  >[];
}

/** A changed configuration, and the parameters that strategies are given with it. */
export interface Retuned<Config extends Tunable = BotConfig> {
  readonly config: Config;
  /** Only of those that change. */
  readonly strategies: readonly WrittenParams[];
}

/** Changes parameters of a running bot, from its command line, its file or a signal: all of one request, or none. */
export class Retuner {
  #config: BotConfig;
  readonly #options: LoadedConfig["options"];
  readonly #bot: Pick<Bot, "tune" | "markets">;

  constructor({ config, options }: LoadedConfig, bot: Pick<Bot, "tune" | "markets">) {
    this.#config = config;
    this.#options = options;
    this.#bot = bot;
  }

  /** Has the present parameters. It is the same object until they change. */
  get config(): BotConfig {
    return this.#config;
  }

  /** `settings`: `key=value`, as after `--set strategies.NAME.params.`. Throws TouchlineError when nothing was changed. */
  async tune(strategy: string, settings: readonly string[], by: CommandOrigin): Promise<Tuned> {
    const next = tuned(this.#config, strategy, settings);
    if (by.isAgent === true) refuseLimits(this.#config, next.config);
    return this.#take(next, by);
  }

  /** Takes the parameters that the file has now; earlier tunes end. Throws TouchlineError or ConfigError when nothing was changed. */
  async reload(by: CommandOrigin): Promise<Tuned> {
    return this.#take(await reloaded(this.#config, this.#options), by);
  }

  #take({ config, strategies }: Retuned, by: CommandOrigin): Tuned {
    this.#config = config;
    if (strategies.length > 0) this.#bot.tune(strategies, by);
    const changed = strategies.map(({ name }) => name);
    const { markets } = this.#bot;
    const warnings = withMarketIds(config, markets).strategies.flatMap((strategy) => {
      const market = markets.find(({ marketId }) => marketId === strategy.marketId);
      if (market === undefined || !changed.includes(strategy.name)) return [];
      return reviewAt(strategy, market, config.risk).map((text) => `${strategy.name}: ${text}`);
    });
    return { changed, warnings };
  }
}

/** The configuration with these settings of a strategy. Throws TouchlineError where `tune` would. */
export function tuned<Config extends Tunable>(
  config: Config,
  name: string,
  settings: readonly string[],
): Retuned<Config> {
  const strategy = config.strategies.find((one) => one.name === name);
  if (strategy === undefined) {
    const names = config.strategies.map((one) => one.name);
    const known = names.join(", ");
    throw invalid(`this bot has no strategy ${name}${suggestion(name, names)}; it has ${known}`);
  }
  const wrong = settings.find((setting) => !/^[^=\s]+=/.test(setting));
  if (wrong !== undefined) throw invalid(`"${wrong}" is not key=value, such as size=0.5`);
  const source = parseYaml({
    file: config.file,
    // JSON is YAML, too.
    text: JSON.stringify({ params: strategy.writtenParams ?? {} }),
    env: {},
    overrides: settings.map((setting) => `params.${setting}`),
  });
  const params = source.validate(strategy.definition.params, ["params"]);
  if (source.problems.length > 0) {
    throw invalid(source.problems.map((problem) => wrongIn(settings, problem)).join("; "));
  }
  const next = { ...strategy, params, writtenParams: source.at(["params"]) };
  return changed(config, {
    ...config,
    strategies: config.strategies.map((one) => (one === strategy ? next : one)),
  });
}

/** What is wrong with a parameter, and the setting that it has after `tune`, if it is one of them. */
function wrongIn(settings: readonly string[], { file, key, message }: Problem): string {
  const name = (key === "" ? file : key).replace(/^(--set )?params\./, "");
  const setting = settings.find((one) => one.split("=")[0] === name);
  return `${setting ?? name}: ${message}`;
}

/** Throws `RESTART_NEEDED` when anything but parameters of strategies has changed in the file. */
async function reloaded(config: BotConfig, options: LoadedConfig["options"]): Promise<Retuned> {
  const next = await loadBotConfig(config.file, options).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    throw new TouchlineError("CONFIG_INVALID", error.message, {
      hint: "Nothing was changed: correct these problems and reload again.",
    });
  });
  const other = otherChanges(config, next);
  if (other.length > 0) {
    throw new TouchlineError(
      "RESTART_NEEDED",
      `Nothing was changed: ${other.join(", ")} cannot be changed in a run, only parameters of strategies.`,
      { hint: "`touchline stop --keep-orders` and a new start take the rest over." },
    );
  }
  return changed(config, next);
}

function changed<Config extends Tunable>(before: Tunable, config: Config): Retuned<Config> {
  const strategies: WrittenParams[] = [];
  for (const [at, strategy] of config.strategies.entries()) {
    const earlier = before.strategies[at];
    if (earlier === undefined || isDeepStrictEqual(earlier.params, strategy.params)) continue;
    const fixed = changedKeys("restart", earlier, strategy);
    if (fixed.length > 0) {
      throw new TouchlineError(
        "RESTART_NEEDED",
        `Nothing was changed: ${strategy.name} takes ${fixed.join(", ")} at its start only.`,
        { hint: "`touchline stop --keep-orders` and a new start take it over." },
      );
    }
    strategies.push({ name: strategy.name, params: strategy.writtenParams });
  }
  return { config, strategies };
}

/** The changed parameters that have `.meta({ restart: true })`, or `limit`. */
function changedKeys(
  kind: "restart" | "limit",
  before: Tunable["strategies"][number],
  after: Tunable["strategies"][number],
): readonly string[] {
  const shape: unknown = Reflect.get(after.definition.params, "shape");
  if (typeof shape !== "object" || shape === null) return [];
  return Object.entries(shape).flatMap(([key, schema]: [string, unknown]) => {
    if (isDeepStrictEqual(valueOf(before.params, key), valueOf(after.params, key))) return [];
    return metaOf(schema)?.[kind] === true ? [key] : [];
  });
}

/** Throws `NOT_FOR_AGENTS` when a parameter that is a limit has changed. */
export function refuseLimits(before: Tunable, after: Tunable): void {
  for (const [at, strategy] of after.strategies.entries()) {
    const earlier = before.strategies[at];
    const limits = earlier === undefined ? [] : changedKeys("limit", earlier, strategy);
    if (limits.length === 0) continue;
    throw new TouchlineError(
      "NOT_FOR_AGENTS",
      `Nothing was changed: ${limits.join(", ")} of ${strategy.name} limits the risk, so only a person may change it.`,
      { hint: "A person changes it with `touchline tune`, or on the page." },
    );
  }
}

function valueOf(params: unknown, key: string): unknown {
  return typeof params === "object" && params !== null ? Reflect.get(params, key) : undefined;
}

function metaOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  const meta: unknown = Reflect.get(schema, "meta");
  return typeof meta === "function" ? meta.call(schema) : undefined;
}

/** The top keys that differ, besides parameters. */
function otherChanges(before: BotConfig, after: BotConfig): readonly string[] {
  const [one, other] = [comparable(before), comparable(after)];
  return Object.keys({ ...one, ...other }).filter(
    (key) => !isDeepStrictEqual(Reflect.get(one, key), Reflect.get(other, key)),
  );
}

function comparable({ text: _text, written: _written, ...config }: BotConfig) {
  const strategies = config.strategies.map(
    ({ params: _params, writtenParams: _given, definition: _definition, ...rest }) => rest,
  );
  return { ...config, strategies };
}

function invalid(reason: string): TouchlineError {
  return new TouchlineError("PARAMS_INVALID", `Nothing was changed: ${reason}.`);
}
