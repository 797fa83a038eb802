import { type AlertChannel, alertChannels, alertMistakes } from "./alerts-config.ts";
import { noVenue, type VenueSettings } from "./venue-address.ts";
import { loadKeccak256 } from "../platform/keccak.ts";
import { hasWrongChecksum, wrongChecksum } from "../spec/checksum-address.ts";
import { type Address, type MarketId, type TokenId, tokenId } from "../domain/ids.ts";
import { errorText } from "../base/error-text.ts";
import { suggestion } from "../base/nearest.ts";
import { isMarketId } from "../domain/market-of-ticker.ts";
import { marketIdsOf, OWN_MARKET, type TradesIn } from "../domain/market-roles.ts";
import { currencyMistakes } from "./currency-mistakes.ts";
import { keySource } from "../platform/key-source.ts";
import { filePath } from "./file-path.ts";
import {
  renewalMistakes,
  type SessionSettings,
  sessionSettings,
  signerPath,
  signerPlace,
} from "./signer-place.ts";
import type { KeyPlace } from "../ports/key-source.ts";
import type { Budget } from "../domain/budget.ts";
import type { Obligation } from "../orders/obligation.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { type BotDocument, botSchema } from "./bot-config.ts";
import type { BotKey } from "./bot-key.ts";
import { writtenKeys } from "./key-warnings.ts";
import { type ImportModule, loadPlugin } from "./load-plugin.ts";
import { pluginPlace } from "./plugin-path.ts";
import { refuseOtherKind } from "./file-kind.ts";
import { fixedOf } from "../domain/decimal.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { WrittenDelay } from "./delay-setting.ts";
import { resolvedDelay, type Way } from "./latency-trace.ts";
import type { DelaySettings } from "../simulated/delay.ts";
import type { FeeSettings } from "../simulated/fee-model.ts";
import { constantDelays } from "../simulated/latency-model.ts";
import type { CandleSettings } from "../simulated/candle-fills.ts";
import type { ModelSettings } from "../simulated/venue-models.ts";
import type { YamlSource } from "./parse-yaml.ts";
import { ConfigError, type ConfigPath } from "./problem.ts";
import { type SourceSettings, sourceSettings, unknownSource } from "./sources-config.ts";
import { namedSources } from "./source-names.ts";
import { stoppableRisk } from "./stop-time.ts";
import { type UnsetLimits, unsetLimits } from "./unset-limits.ts";
import { type ConfigOptions, readConfig } from "./read-config.ts";

/** One strategy with its plugin loaded and its parameters parsed. */
export interface StrategySettings extends TradesIn {
  readonly name: string;
  /** As written in the YAML, but with paths made absolute, so that it can be loaded again from any folder. */
  readonly plugin: string;
  readonly definition: StrategyDefinition;
  /** Parsed by the plugin's schema. */
  readonly params: unknown;
  /** As written, for the journal. */
  readonly writtenParams: unknown;
  /** Default: derived from the name, so that a restart uses the same seed. */
  readonly seed: number;
  /** Its own triggers of the risk ladder. */
  readonly triggers?: TriggerValues;
  readonly obligation?: Obligation | undefined;
  readonly sources?: readonly string[] | undefined;
  readonly budget?: Budget | undefined;
}

export interface AccountSettings {
  /** Undefined: the signer's own address. */
  readonly owner: Address | undefined;
  /** Other programs place orders for it, too. */
  readonly shared: boolean;
  /** Where the key is that signs commands, the owner's or a session wallet's. Paths are absolute. */
  readonly signer: KeyPlace;
  /** Undefined: the owner's own key signs. */
  readonly session: SessionSettings | undefined;
}

/** A bot's configuration, validated as far as possible without the venue. */
export interface BotConfig
  extends Omit<
    BotDocument,
    "venue" | "account" | "alerts" | "strategies" | "models" | "reportingCurrency" | "sources"
  > {
  readonly alerts: readonly AlertChannel[];
  readonly venue: VenueSettings;
  /** Strategies whose positions are worked off before a stop. */
  readonly flattensAtStop: readonly string[];
  readonly file: string;
  /** The file's text, with overrides as comments and without variables filled in, for the journal. */
  readonly text: string;
  readonly account: AccountSettings | undefined;
  /** The models of a simulated venue, with `latency` and `fees` where `models` says nothing. */
  readonly models: ModelSettings;
  /** `models.candles`, in place of `models.fills` where candles are replayed. */
  readonly candles: CandleSettings;
  readonly strategies: readonly StrategySettings[];
  readonly sources: readonly SourceSettings[];
  /** The keys that the file or a flag sets. */
  readonly written: readonly BotKey[];
  /** As written: its id, or the symbol of a token of the strategies' markets. */
  readonly reportingCurrency: TokenId | undefined;
  /** The limits that neither the file nor a flag sets. */
  readonly unsetLimits: UnsetLimits;
}

export interface BotConfigOptions extends ConfigOptions {
  /** What must be configured: nothing, the venue (the default), also the account, or also its key (opened later with `keySource`). */
  readonly needs?: "nothing" | "venue" | "account" | "key";
  /** For tests. */
  readonly importModule?: ImportModule;
}

/** Reads and validates a bot's YAML and loads its plugins. Throws ConfigError with all problems at once. */
export async function loadBotConfig(
  file: string,
  options: BotConfigOptions = {},
): Promise<BotConfig> {
  const source = readConfig(file, options);
  return botConfigFrom(source, options);
}

/** `loadBotConfig` for a source that was already read. */
export async function botConfigFrom(
  source: YamlSource,
  options: BotConfigOptions = {},
): Promise<BotConfig> {
  if (source.value === undefined) throw new ConfigError(source.problems);
  refuseOtherKind(source, "bot");
  source.mergeDefaults();
  const document = source.validate(botSchema);
  // Plugins are loaded even if there are other problems, so that all problems are reported together.
  const strategies = await loadStrategies(source, options.importModule);
  checkNeeds(source, document, options);
  checkCurrency(source, document);
  checkStrategyFaults(source, document);
  await checkOwner(source);
  const models = document === undefined ? undefined : modelsOf(source, document);
  const sources = sourcesOf(source, document, strategies);
  if (document === undefined || models === undefined || source.problems.length > 0) {
    throw new ConfigError(source.problems);
  }
  return {
    ...document,
    venue: document.venue ?? noVenue,
    risk: stoppableRisk(source, document),
    models,
    candles: document.models.candles,
    sources,
    file: source.file,
    text: writtenText(source, options.overrides ?? []),
    account:
      document.account === undefined
        ? undefined
        : {
            owner: document.account.owner,
            shared: document.account.shared,
            signer: signerPlace(source, document.account.signer),
            session: sessionSettings(source, document.account.signer),
          },
    alerts: alertChannels(source, document.alerts),
    dashboard: document.dashboard,
    journal: {
      ...document.journal,
      path: filePath(source, ["journal", "path"], document.journal.path),
    },
    control:
      document.control.socket === undefined
        ? {}
        : { socket: filePath(source, ["control", "socket"], document.control.socket) },
    written: writtenKeys(source.value),
    reportingCurrency:
      document.reportingCurrency === undefined ? undefined : tokenId(document.reportingCurrency),
    unsetLimits: unsetLimits(source, document),
    flattensAtStop: document.strategies.flatMap(({ name, onStop }) =>
      onStop === "flatten" ? [name] : [],
    ),
    strategies: document.strategies.flatMap((written, index) => {
      const loaded = strategies[index];
      return loaded === undefined
        ? []
        : [
            {
              ...loaded,
              ...marketsIn(written),
              seed: written.seed ?? seedOf(written.name),
              triggers: written.risk.triggers,
              obligation: written.obligation,
              sources: written.sources,
              budget: written.budget,
            },
          ];
    }),
  };
}

function sourcesOf(
  source: YamlSource,
  document: BotDocument | undefined,
  loaded: readonly (Loaded | undefined)[],
): readonly SourceSettings[] {
  if (document === undefined) return [];
  const { sources, strategies, venue } = document;
  const names = Object.keys(sources);
  for (const [index, { sources: seen }] of strategies.entries()) {
    const check = (name: string, known: readonly string[], ...path: ConfigPath): void => {
      const mistake = unknownSource(name, known);
      if (mistake !== undefined) source.problem(["strategies", index, ...path], mistake);
    };
    for (const [at, name] of (seen ?? []).entries()) check(name, names, "sources", at);
    const { definition, params } = loaded[index] ?? {};
    if (definition === undefined) continue;
    for (const { name, path } of namedSources(definition.params, params)) {
      check(name, seen ?? names, "params", ...path);
    }
  }
  return sourceSettings(source, sources, venue?.allowInsecure === true);
}

function modelsOf(source: YamlSource, { models, latency, fees }: BotDocument): BotConfig["models"] {
  const { entry, response, feed, seed } = models.latency;
  const constant = constantDelays(latency);
  const delay = (way: Way, written: WrittenDelay | undefined): DelaySettings =>
    written === undefined ? constant[way] : resolvedDelay(source, way, written);
  return {
    fills: models.fills,
    latency: {
      entry: delay("entry", entry),
      response: delay("response", response),
      feed: delay("feed", feed),
      seed,
    },
    fees: feesOf(models.fees, fees),
  };
}

function feesOf(
  { maker, taker, tiers }: BotDocument["models"]["fees"],
  fees: BotDocument["fees"],
): FeeSettings {
  const steps = tiers.map((tier) => ({ ...tier, volume: fixedOf(tier.volume) }));
  return {
    maker: maker ?? fees?.maker,
    taker: taker ?? fees?.taker,
    tiers: steps.toSorted((left, right) => (left.volume < right.volume ? -1 : 1)),
  };
}

function writtenText(source: YamlSource, overrides: readonly string[]): string {
  return overrides.map((override) => `# --set ${override}\n`).join("") + source.text;
}

/** Without the venue's list of markets only ids can be judged: the start judges the rest. */
function checkCurrency(source: YamlSource, document: BotDocument | undefined): void {
  if (document === undefined) return;
  const { risk, reportingCurrency } = document;
  const strategies = document.strategies.map((written) => ({
    ...marketsIn(written),
    triggers: written.risk.triggers,
  }));
  const isKnown =
    marketIdsOf(strategies).every(isMarketId) &&
    (reportingCurrency === undefined || /^\d+$/.test(reportingCurrency));
  if (!isKnown) return;
  const currency = reportingCurrency === undefined ? undefined : tokenId(reportingCurrency);
  for (const { path, message } of currencyMistakes({
    strategies,
    risk,
    reportingCurrency: currency,
  })) {
    source.problem(path, message);
  }
}

async function checkOwner(source: YamlSource): Promise<void> {
  const key = ["account", "owner"];
  const owner = source.at(key);
  if (typeof owner === "string" && hasWrongChecksum(owner, await loadKeccak256())) {
    source.problem(key, wrongChecksum);
  }
}

/** A strategy fails once, so a number beyond theirs is never reached. */
function checkStrategyFaults(source: YamlSource, document: BotDocument | undefined): void {
  const count = document?.strategies.length ?? 0;
  for (const { step, from } of document?.risk.triggers.strategyFaults?.steps ?? []) {
    if (fixedToNumber(from) <= count) continue;
    const mistake = `is never reached: the number of strategies is ${count}`;
    source.problem(["risk", "triggers", "strategyFaults", step], mistake);
  }
}

/** The markets as written; `checkMarkets` compares them with the strategy's names. */
function marketsIn({ market, markets = {} }: BotDocument["strategies"][number]): TradesIn {
  const { [OWN_MARKET]: own = market, ...others } = markets;
  return {
    marketId: own as MarketId,
    ...(Object.keys(others).length === 0
      ? {}
      : { otherMarkets: others as Readonly<Record<string, MarketId>> }),
  };
}

/** Reports markets that are not exactly those of the strategy, or one that is written twice. */
function checkMarkets(
  source: YamlSource,
  index: number,
  { name, markets: names = [OWN_MARKET] }: StrategyDefinition,
): void {
  const at = ["strategies", index] as const;
  const [one, written] = [source.at([...at, "market"]), source.at([...at, "markets"])];
  const needed = `markets: { ${names.map((role) => `${role}: …`).join(", ")} }`;
  if (written === undefined) {
    if (one === undefined) {
      const what = names.length === 1 ? "write it like 1_2 or ETH/USDC" : `write ${needed}`;
      source.problem([...at, "market"], `is missing, ${what}`);
    } else if (names.length > 1) {
      const mistake = `is one market, but ${name} trades in ${names.length}: write ${needed}`;
      source.problem([...at, "market"], mistake);
    }
    return;
  }
  if (one !== undefined) {
    source.problem([...at, "market"], "is written beside markets: keep one of them");
  }
  // The schema reports what is no map.
  if (typeof written !== "object" || written === null || Array.isArray(written)) return;
  for (const role of names) {
    if (Object.hasOwn(written, role)) continue;
    source.problem([...at, "markets"], `lacks ${role}: ${name} needs ${needed}`);
  }
  const seen = new Map<string, string>();
  for (const [role, market] of Object.entries(written)) {
    const path = [...at, "markets", role];
    const id = String(market).replace("/", "_").toLowerCase();
    const before = seen.get(id);
    if (!names.some((known) => known === role)) {
      const guess = suggestion(role, names);
      source.problem(path, `is no market of ${name}, which has ${names.join(", ")}${guess}`);
    } else if (before !== undefined) {
      source.problem(path, `is the market of ${before}, too: give each name its own market`);
    }
    seen.set(id, role);
  }
}

type Loaded = Omit<
  StrategySettings,
  "seed" | "triggers" | "obligation" | "sources" | "budget" | keyof TradesIn
>;

async function loadStrategies(
  source: YamlSource,
  importModule: ImportModule | undefined,
): Promise<readonly (Loaded | undefined)[]> {
  const list = source.at(["strategies"]);
  if (!Array.isArray(list)) return [];
  const names = new Set<string>();
  const loaded: (Loaded | undefined)[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const name = source.at(["strategies", index, "name"]);
    if (typeof name === "string") {
      if (names.has(name)) {
        source.problem(["strategies", index, "name"], "is also the name of another strategy");
      }
      names.add(name);
    }
    loaded.push(await loadStrategy(source, index, importModule));
  }
  return loaded;
}

async function loadStrategy(
  source: YamlSource,
  index: number,
  importModule: ImportModule | undefined,
): Promise<Loaded | undefined> {
  const at = ["strategies", index] as const;
  const plugin = source.at([...at, "plugin"]);
  // The schema reports a value that is not text.
  if (typeof plugin !== "string" || plugin === "") return undefined;
  const key = [...at, "plugin"];
  const place = pluginPlace(source, index, plugin);
  const result = await loadPlugin({
    ...place,
    ...(importModule === undefined ? {} : { importModule }),
  });
  if (!result.ok) {
    source.problem(key, result.error);
    return undefined;
  }
  const definition = result.value;
  checkMarkets(source, index, definition);
  const writtenParams = source.at([...at, "params"]) ?? {};
  let params: unknown;
  try {
    params = source.validate(definition.params, [...at, "params"], writtenParams);
  } catch (error) {
    const message = errorText(error).split("\n")[0];
    source.problem([...at, "params"], `the schema of ${plugin} threw an error: ${message}`);
    return undefined;
  }
  return {
    name: String(source.at([...at, "name"])),
    plugin: place.plugin,
    definition,
    params,
    writtenParams,
  };
}

function checkNeeds(
  source: YamlSource,
  document: BotDocument | undefined,
  options: BotConfigOptions,
): void {
  const needs = options.needs ?? "venue";
  if (needs === "nothing") return;
  if (source.at(["venue"]) === undefined) {
    source.problem(["venue"], "is missing, must be a map of keys: only replays do without");
  }
  if (needs === "venue") return;
  if (source.at(["account"]) === undefined) {
    source.problem(["account"], "is missing, must be { owner, signer } of the wallet that trades");
    return;
  }
  if (needs === "account" || document?.account === undefined) return;
  const place = signerPlace(source, document.account.signer);
  const env = options.env ?? process.env;
  const mistake = keySource(place, env).mistake();
  if (mistake !== undefined) {
    source.problem([...signerPath(document.account.signer), ...mistake.at], mistake.message);
  }
  for (const { at, message } of alertMistakes(alertChannels(source, document.alerts), env)) {
    source.problem(at, message);
  }
  // Keys for renewals are needed only in days, but missing ones are reported while somebody is watching.
  for (const { at, message } of renewalMistakes(source, document.account.signer, env)) {
    source.problem(at, message);
  }
}

/** FNV-1a hash (Fowler, Noll, Vo) of the name. */
function seedOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
