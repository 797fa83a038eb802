import { readdirSync, statSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { err, ok, type Result } from "../base/result.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import { suggestion } from "../base/nearest.ts";
import { importedFrom, installPluginHooks, isClone } from "./plugin-hooks.ts";
import { loadMistake } from "./plugin-mistake.ts";
import { isPluginPath, type PluginPlace } from "./plugin-path.ts";
import { showPath } from "./show-path.ts";

/** Imports a module by its URL or specifier. */
export type ImportModule = (specifier: string) => Promise<unknown>;

export interface LoadPluginOptions extends PluginPlace {
  readonly importModule?: ImportModule;
  /** Time allowed for loading the plugin. */
  readonly timeoutMs?: number;
}

const strategiesFolder = new URL(isClone ? "../../strategies/" : "../strategies/", import.meta.url);
const sourceEnding = isClone ? ".ts" : ".js";

/**
 * Names of the built-in strategies. A strategy with a test beside it was written by the user (`touchline new strategy` in a clone)
 * and must be given by its path.
 */
export function builtInStrategies(): readonly string[] {
  const files = readdirSync(strategiesFolder);
  const own = new Set(files.filter((name) => name.includes(".test.")).map(bareName));
  return files
    .filter((name) => name.endsWith(sourceEnding) && !name.endsWith(".d.ts"))
    .map(bareName)
    .filter((name) => !own.has(name))
    .sort();
}

function bareName(file: string): string {
  return file.replace(/(\.test)?\.[jt]s$/, "");
}

const importNatively: ImportModule = async (specifier) => {
  installPluginHooks();
  const loaded: unknown = await import(specifier);
  return loaded;
};

/** Loads a strategy plugin, or describes in one sentence what is wrong with it and how to correct it. */
export async function loadPlugin(
  options: LoadPluginOptions,
): Promise<Result<StrategyDefinition, string>> {
  const found = locate(options.plugin, options.configFile);
  if (!found.ok) return found;
  const { specifier, shown } = found.value;
  const importModule = options.importModule ?? importNatively;
  try {
    const loaded = await within(importModule(specifier), options.timeoutMs ?? 10_000);
    if (loaded === "late") {
      return err(`${shown} does not finish loading: remove the await at its top level`);
    }
    return definitionIn(loaded.value, shown);
  } catch (error) {
    return err(loadMistake(error, shown));
  }
}

/** Finds the module to import and its name for messages. */
function locate(
  plugin: string,
  configFile: string,
): Result<{ readonly specifier: string; readonly shown: string }, string> {
  if (isPluginPath(plugin)) {
    const file = path.resolve(path.dirname(configFile), plugin);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
    if (!isFile) {
      return err(
        `the file ${showPath(file)} does not exist; a path is relative to the configuration file`,
      );
    }
    return ok({ specifier: pathToFileURL(file).href, shown: showPath(file) });
  }
  const builtIns = builtInStrategies();
  if (builtIns.includes(plugin)) {
    const url = new URL(plugin + sourceEnding, strategiesFolder);
    return ok({ specifier: url.href, shown: `the built-in ${plugin}` });
  }
  const from = pathToFileURL(path.resolve(configFile));
  if (!isInstalled(plugin, from)) {
    const guess = suggestion(plugin, builtIns) || "; write a file as ./name.ts";
    return err(`is neither built in (${builtIns.join(", ")}) nor an installed package${guess}`);
  }
  return ok({ specifier: importedFrom(from, plugin), shown: `the package ${plugin}` });
}

function isInstalled(name: string, from: URL): boolean {
  try {
    return module.findPackageJSON(name, from) !== undefined;
  } catch {
    return false;
  }
}

async function within(
  loading: Promise<unknown>,
  timeoutMs: number,
): Promise<{ readonly value: unknown } | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  try {
    return await Promise.race([loading.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}

const fix = "end the file with: export default defineStrategy({ … })";

function definitionIn(loaded: unknown, shown: string): Result<StrategyDefinition, string> {
  const exported = field(loaded, "default");
  // A package compiled to CommonJS has its default export one level deeper.
  const candidate = field(exported, "__esModule") === true ? field(exported, "default") : exported;
  if (candidate === undefined) return err(`${shown} has no default export; ${fix}`);
  if (typeof candidate !== "object" || candidate === null) {
    return err(`${shown} exports a ${typeof candidate} by default, not a strategy; ${fix}`);
  }
  const missing = missingParts(candidate);
  if (missing.length > 0 || !isDefinition(candidate)) {
    return err(
      `${shown} has a default export that was not created by defineStrategy (it lacks ${missing.join(", ")}); ${fix}`,
    );
  }
  for (const name of ["init", "decide"] as const) {
    if (!isPlainFunction(candidate[name])) {
      return err(
        `${shown}: its ${name} is asynchronous or a generator; it must be synchronous: remove async, await and yield, and load data before the start`,
      );
    }
  }
  const mistake = marketsMistake(candidate.markets);
  return mistake === undefined ? ok(candidate) : err(`${shown}: its markets ${mistake}`);
}

/** What is wrong with a strategy's names for its markets. */
function marketsMistake(markets: unknown): string | undefined {
  if (markets === undefined) return undefined;
  if (!Array.isArray(markets) || markets[0] !== OWN_MARKET) {
    return `must be a list of names with "${OWN_MARKET}" first, such as ["${OWN_MARKET}", "hedge"]`;
  }
  const names: readonly unknown[] = markets;
  const bad = names.find((name) => typeof name !== "string" || !/^[A-Za-z]\w{0,31}$/.test(name));
  if (bad !== undefined) {
    return `have the name ${JSON.stringify(bad)}: use at most 32 letters, digits and underscores, a letter first`;
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `have the name ${JSON.stringify(twice)} twice`;
}

/** False for async functions and generators. A function that returns a Promise in another way fails when it is called. */
function isPlainFunction(candidate: unknown): boolean {
  return Object.prototype.toString.call(candidate) === "[object Function]";
}

function missingParts(candidate: object): string[] {
  const parts: string[] = [];
  if (typeof field(candidate, "name") !== "string") parts.push("name");
  if (typeof field(field(candidate, "params"), "safeParse") !== "function") {
    parts.push("params, a zod schema");
  }
  if (typeof field(candidate, "init") !== "function") parts.push("init");
  if (typeof field(candidate, "decide") !== "function") parts.push("decide");
  return parts;
}

function isDefinition(candidate: object): candidate is StrategyDefinition {
  return missingParts(candidate).length === 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
