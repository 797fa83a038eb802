import type { MarketId } from "../domain/ids.ts";
import { z } from "zod";
import type { BotConfig } from "../config/load-bot-config.ts";
import { variableNames } from "../config/parse-yaml.ts";
import type { Manifest } from "../recordings/manifest.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { PlayedMarket, ReplayReport } from "./run-replay.ts";

/** One strategy as it was configured. */
export interface ShownStrategy {
  readonly name: string;
  readonly plugin: string;
  readonly market: MarketId;
  /** Its other markets by its names for them; left out when it has none. */
  readonly otherMarkets?: Readonly<Record<string, MarketId>>;
  readonly seed: number;
  /** As written; values of environment variables from 6 characters on are replaced by the variables' names. */
  readonly params: unknown;
  /** The parameters that are not written, with the values that the strategy got; amounts are plain numbers. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** A result with everything that is needed to repeat it: the content of `result.json` and the text of the reports. */
export interface ResultDocument extends ReplayResult {
  readonly event: "result";
  readonly versions: { readonly touchline: string; readonly node: string };
  readonly config: {
    readonly strategies: readonly ShownStrategy[];
    readonly balances: Readonly<Record<string, string>> | null;
    readonly rateLimit: BotConfig["rateLimit"];
    readonly priceGrid: BotConfig["priceGrid"];
    readonly useModify: BotConfig["execution"]["useModify"];
  };
  readonly recording: {
    /** Its origin and notice, as its manifest states them. */
    readonly source: string;
    readonly notice: string | null;
    readonly markets: readonly PlayedMarket[];
    /** Virtual time of the bot's start and stop, Unix milliseconds. */
    readonly fromMs: number;
    readonly toMs: number;
  };
  readonly warnings: readonly string[];
}

export interface DocumentParts {
  readonly config: BotConfig;
  readonly manifest: Manifest;
  readonly report: ReplayReport;
  readonly warnings: readonly string[];
  readonly versions: ResultDocument["versions"];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The document of a replay that has ended. */
export function resultDocument(parts: DocumentParts): ResultDocument {
  const { config, manifest, report, warnings, versions, env } = parts;
  const variables = variablesOf(config.text, env);
  return {
    event: "result",
    ...report.result,
    versions,
    config: {
      strategies: config.strategies.map(
        ({ name, plugin, marketId, otherMarkets, seed, writtenParams, params }) => ({
          name,
          plugin: fileName(plugin),
          market: marketId,
          ...(otherMarkets === undefined ? {} : { otherMarkets }),
          seed,
          params: withoutValues(writtenParams, variables),
          defaults: defaultsOf(writtenParams, params, variables),
        }),
      ),
      balances: config.balances ?? null,
      rateLimit: config.rateLimit,
      priceGrid: config.priceGrid,
      useModify: config.execution.useModify,
    },
    recording: {
      source: manifest.source,
      notice: manifest.notice ?? null,
      markets: report.played,
      ...report.window,
    },
    warnings,
  };
}

const plainParams = z.record(z.string(), z.unknown());

/** What the strategy's schema added to the parameters as written, as plain JSON. */
function defaultsOf(
  written: unknown,
  parsed: unknown,
  variables: ReturnType<typeof variablesOf>,
): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(parsed ?? {}, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const all = plainParams.safeParse(JSON.parse(text)).data ?? {};
  const known = plainParams.safeParse(written).data ?? {};
  return Object.fromEntries(
    Object.entries(all)
      .filter(([key]) => !(key in known))
      .map(([key, value]) => [key, withoutValues(value, variables)]),
  );
}

/** The name of a plugin without its path, which would reveal folders of the machine. */
function fileName(plugin: string): string {
  return /^([a-z]:)?[\\/]/i.test(plugin) ? (plugin.split(/[\\/]/).at(-1) ?? plugin) : plugin;
}

/** A shorter value of a variable is a setting and no secret. */
const SECRET_LENGTH = 6;

/** The variables that a config uses, with their values. */
function variablesOf(
  text: string,
  env: DocumentParts["env"],
): readonly (readonly [name: string, value: string])[] {
  return [...variableNames(text)].flatMap((name) => {
    const value = env[name];
    return value === undefined || value.length < SECRET_LENGTH ? [] : [[name, value] as const];
  });
}

/** A copy of plain data in which every text that contains a variable's value names the variable instead. */
function withoutValues(
  value: unknown,
  variables: readonly (readonly [name: string, value: string])[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutValues(item, variables));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutValues(item, variables)]),
    );
  }
  const used = variables.filter(([, secret]) => String(value).includes(secret));
  return used.length === 0 ? value : used.map(([name]) => `\${${name}}`).join(" ");
}
