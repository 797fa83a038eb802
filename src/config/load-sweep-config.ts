import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { plainNumber } from "../domain/fixed.ts";
import { refuseOtherKind } from "./file-kind.ts";
import { filePath } from "./file-path.ts";
import { botConfigFrom, type BotConfigOptions } from "./load-bot-config.ts";
import { parseYaml, type YamlSource } from "./parse-yaml.ts";
import { ConfigError, type Problem, problemLine } from "./problem.ts";
import { readConfig } from "./read-config.ts";
import { type ParameterValues, type SweepDocument, sweepSchema } from "./sweep-config.ts";

/** One parameter of a sweep: the paths that get its value, and the values it may take. */
export interface SweepParameter {
  /** Its path as written, which is its name in tables. */
  readonly name: string;
  /** Paths of the config that get its value. */
  readonly paths: readonly string[];
  readonly values: ParameterValues;
}

/** A validated SWEEP.yaml with absolute paths. */
export interface SweepConfig extends Omit<SweepDocument, "config" | "parameters"> {
  readonly file: string;
  /** The bot's YAML: its absolute path and its text, without variables filled in. */
  readonly bot: { readonly file: string; readonly text: string };
  readonly parameters: readonly SweepParameter[];
}

/**
 * Reads SWEEP.yaml and checks it against the bot's config. Throws ConfigError with all problems: of the sweep's own file with
 * `file:line:column`, or of the bot's. A parameter is refused when no value of it fits the config, since its path is wrong then.
 */
export async function loadSweepConfig(
  file: string,
  options: BotConfigOptions = {},
): Promise<SweepConfig> {
  const source = readConfig(file, options);
  if (source.value !== undefined) refuseOtherKind(source, "sweep");
  const document = source.value === undefined ? undefined : source.validate(sweepSchema);
  if (document === undefined || source.problems.length > 0) throw new ConfigError(source.problems);
  checkSearch(source, document);
  const { config: botFile, parameters, ...rest } = document;
  const bot = readConfig(filePath(source, ["config"], botFile), { env: options.env ?? {} });
  const sweep: SweepConfig = {
    ...rest,
    file: source.file,
    bot: { file: path.resolve(bot.file), text: bot.text },
    recordings: rest.recordings.map((folder, at) => filePath(source, ["recordings", at], folder)),
    parameters: Object.entries(parameters).map(([name, { also, ...values }]) => ({
      name,
      paths: [name, ...also],
      values,
    })),
  };
  if (source.problems.length === 0) await checkParameters(source, sweep, options);
  if (source.problems.length > 0) throw new ConfigError(source.problems);
  return sweep;
}

/** `path=value` for every path of a parameter, as for `--set`. JSON is YAML, so each value keeps its type. */
export function overridesOf(parameter: SweepParameter, value: unknown): readonly string[] {
  return parameter.paths.map((each) => `${each}=${JSON.stringify(value)}`);
}

/** A number of a range as the config takes it: with its unit as text, else as a number. */
export function rangeValue(value: number, unit: string): string | number {
  // 12 digits remove the error of adding doubles.
  const rounded = Number(value.toPrecision(12));
  return unit === "" ? rounded : `${plainNumber(rounded)}${unit}`;
}

function checkSearch(source: YamlSource, document: SweepDocument): void {
  const { search, runs, parameters } = document;
  if (search !== "grid") {
    if (runs === undefined) source.problem(["runs"], `is missing, ${search} search needs it`);
    return;
  }
  if (runs !== undefined) {
    source.problem(["runs"], "is for random and bayesian search, a grid tries every combination");
  }
  let size = 1;
  for (const [name, values] of Object.entries(parameters)) {
    const isOpen = values.kind === "range" && values.steps === undefined;
    if (isOpen) source.problem(["parameters", name], "has no steps, which a grid needs");
    size *= values.kind === "list" ? values.values.length : (values.steps ?? 1);
  }
  if (size > 100_000) {
    source.problem(["parameters"], `make ${size} combinations, at most 100000; search at random`);
  }
}

/**
 * Loads the bot's config as it is, with the first value of all parameters, and with each value alone. Problems that the first two have
 * in common are mistakes of the bot's file. A parameter of which every value adds problems is a mistake of the sweep, and so are two values
 * that give the same config: they would count as two trials.
 */
async function checkParameters(
  source: YamlSource,
  sweep: SweepConfig,
  options: BotConfigOptions,
): Promise<void> {
  const own = await loadedWith(sweep, [], options);
  const known = new Set(own.problems.map(problemLine));
  const common = await loadedWith(sweep, sweep.parameters.flatMap(firstOf), options);
  const ofFile = common.problems.filter((problem) => known.has(problemLine(problem)));
  if (ofFile.length > 0) throw new ConfigError(ofFile);
  for (const parameter of sweep.parameters) {
    const others = sweep.parameters.filter((other) => other !== parameter).flatMap(firstOf);
    let first: Problem | undefined;
    const usable: { readonly value: unknown; readonly config: object | undefined }[] = [];
    for (const [at, value] of samplesOf(parameter.values).entries()) {
      const overrides = overridesOf(parameter, value);
      const alone = await loadedWith(sweep, overrides, options);
      const added = alone.problems.filter((problem) => !known.has(problemLine(problem)));
      // The problem of the value itself, if it has one.
      first ??= added.find(({ line }) => line === undefined) ?? added[0];
      if (added.length > 0) continue;
      const { config } = await loadedWith(sweep, [...others, ...overrides], options);
      const same = usable.find(
        (other) => config !== undefined && isDeepStrictEqual(other.config, config),
      );
      usable.push({ value, config });
      if (same === undefined) continue;
      const list = ["parameters", parameter.name];
      if (!Array.isArray(source.at(list))) list.push("values");
      const both = `${JSON.stringify(same.value)} and ${JSON.stringify(value)}`;
      source.problem([...list, at], `${both} are the same value, list it once`);
    }
    if (usable.length > 0 || first === undefined) continue;
    const at = first.key === "" ? "" : `${first.key} `;
    const mistake = `no value of it fits the config: ${at}${first.message}`;
    source.problem(["parameters", parameter.name], mistake, "key");
  }
}

function firstOf(parameter: SweepParameter): readonly string[] {
  return overridesOf(parameter, samplesOf(parameter.values)[0]);
}

function samplesOf(values: ParameterValues): readonly unknown[] {
  if (values.kind === "list") return values.values;
  return [rangeValue(values.from, values.unit), rangeValue(values.to, values.unit)];
}

/** What the config says with these overrides, apart from how it is written; only its problems where it has some. */
async function loadedWith(
  { bot }: SweepConfig,
  overrides: readonly string[],
  options: BotConfigOptions,
): Promise<{ readonly config?: object; readonly problems: readonly Problem[] }> {
  const { overrides: _, ...rest } = options;
  try {
    const env = options.env ?? process.env;
    const source = parseYaml({ ...bot, env, overrides });
    const {
      text: _text,
      written: _written,
      ...config
    } = await botConfigFrom(source, {
      ...rest,
      overrides,
      needs: "nothing",
    });
    const strategies = config.strategies.map(({ writtenParams: _params, ...read }) => read);
    return { config: { ...config, strategies }, problems: [] };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}
