import { marketIdsOf } from "../domain/market-roles.ts";
import { marketNameOf } from "../recordings/market-name.ts";
import { TouchlineError } from "../base/error.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { fixed, fixedFromNumber, type Fixed } from "../domain/fixed.ts";
import { tokensOf, type MarketId, type TokenId } from "../domain/ids.ts";
import { marketOfTicker } from "../domain/market-of-ticker.ts";
import type { Market } from "../domain/market.ts";
import type { MarketRulesSpec } from "../domain/market-rules.ts";
import type { KernelConfig } from "../kernel/config.ts";
import { sourceMarkets } from "../kernel/sources/source-config.ts";
import type { CarriedItem } from "../kernel/input.ts";
import { hasCandles, type RecordingMarket } from "../recordings/manifest.ts";
import type { Recording } from "../recordings/recording.ts";
import { kernelConfig } from "../runtime/kernel-config.ts";
import { NOBODY, startBalances } from "../simulated/simulated-account.ts";
import { type VenueModels, venueModels } from "../simulated/venue-models.ts";
import { candleModels } from "./candle-models.ts";
import { replayRules } from "./replay-rules.ts";
import { missingText, type RecordedSourceFile } from "./source-inputs.ts";
import { type UsedModels, usedModels } from "./used-models.ts";

/** A market of the config, with its id in the recording. */
export interface ReplayMarket {
  readonly market: Market;
  readonly recordedId: string;
}

/** Everything that a replay needs except the recorded events. */
export interface ReplaySetup {
  readonly kernel: KernelConfig;
  readonly chainId: number;
  readonly markets: readonly ReplayMarket[];
  readonly balances: ReadonlyMap<TokenId, Fixed>;
  readonly models: VenueModels;
  /** What the result says about `models`. */
  readonly usedModels: UsedModels;
  /** The token in which the totals of all markets are given; undefined: the main quote token, if there is one. */
  readonly reportingCurrency: TokenId | undefined;
  /** What earlier runs left to the bot, such as its positions. A replay of a recording has none. */
  readonly carried?: readonly CarriedItem[];
  /** Where the values of the price sources are recorded; left out: nowhere. */
  readonly sourceFiles?: readonly RecordedSourceFile[];
  /** Sentences to show to the user. */
  readonly warnings: readonly string[];
}

/**
 * Combines a bot's config with a recording. `names` maps markets of the config to markets of the recording, in either direction.
 * Throws TouchlineError `MARKET_NOT_RECORDED`, `MARKET_MAP_INVALID`, `FEES_UNKNOWN`, `NATIVE_GRID_UNKNOWN` or
 * `CANDLES_HAVE_NO_BOOK`.
 */
export function replaySetup(
  config: BotConfig,
  recording: Recording,
  names: ReadonlyMap<string, string> = new Map(),
): ReplaySetup {
  const traded = marketIdsOf(config.strategies);
  const wanted = [...new Set([...traded, ...sourceMarkets(config.sources)])];
  const renamed = renames(wanted, names);
  const warnings: string[] = [];
  const isPlayed = (marketId: MarketId): boolean =>
    traded.includes(marketId) || recording.market(renamed.get(marketId) ?? marketId) !== undefined;
  const sources = config.sources.map((source) => {
    const { origin, name, whenOld } = source;
    if (origin.type !== "market" || isPlayed(origin.marketId)) return source;
    warnings.push(missingText(name, whenOld));
    return { ...source, origin: { type: "input" } as const };
  });
  const markets = wanted.filter(isPlayed).map((marketId) => {
    const recorded = recordedMarket(recording, marketId, renamed.get(marketId) ?? marketId);
    const rules = replayRules(config.priceGrid, recorded, warnings);
    return { market: marketFor(marketId, recorded, rules, config), recordedId: recorded.marketId };
  });
  const known = markets.map(({ market }) => market);
  const models = hasCandles(recording.manifest)
    ? candleModels(config, known, warnings)
    : venueModels(config.models, "recording");
  const owner = config.account?.owner ?? NOBODY;
  const kernel = kernelConfig({ ...config, sources }, "replay", { owner, markets: known });
  return {
    kernel,
    chainId: config.venue.chainId,
    markets,
    balances: startBalances(
      config,
      markets.map(({ market, recordedId }) => ({ ...market, alias: recordedId })),
      warnings,
    ),
    models,
    usedModels: usedModels(models.settings, known),
    reportingCurrency: kernel.reportingCurrency,
    sourceFiles: config.sources.flatMap(({ name, feed }): RecordedSourceFile[] => {
      if (feed === undefined) return [];
      return feed.type === "recording"
        ? [{ name, folder: feed.path, source: feed.source }]
        : [{ name, folder: recording.folder, source: name }];
    }),
    warnings,
  };
}

/** Maps each market id of the config to its name in the recording. */
function renames(
  wanted: readonly MarketId[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const tickers = wanted.map((marketId) => ({ marketId, ticker: marketId.replace("_", "/") }));
  const renamed = new Map<string, string>();
  for (const [left, right] of names) {
    const [ofLeft, ofRight] = [left, right].map((name) => marketOfTicker(tickers, name));
    if (ofLeft !== undefined) renamed.set(ofLeft, right);
    else if (ofRight !== undefined) renamed.set(ofRight, left);
    else {
      throw new TouchlineError(
        "MARKET_MAP_INVALID",
        `--market ${left}=${right} names no market of the strategies: ${wanted.join(", ")}.`,
        { hint: "Write --market CONFIG_MARKET=RECORDED_MARKET." },
      );
    }
  }
  return renamed;
}

function recordedMarket(recording: Recording, marketId: MarketId, name: string): RecordingMarket {
  const tickers = recording.manifest.markets.map((market) => ({
    marketId: market.marketId as MarketId,
    ticker: tickerOf(market),
  }));
  const found = recording.market(name) ?? recording.market(marketOfTicker(tickers, name) ?? "");
  if (found !== undefined) return found;
  const held = recording.manifest.markets
    .map((market) => `${market.marketId} (${market.symbol})`)
    .join(", ");
  const first = recording.manifest.markets[0]?.marketId ?? "RECORDED_MARKET";
  throw new TouchlineError(
    "MARKET_NOT_RECORDED",
    `The recording has no market ${name}; it holds ${held}.`,
    { hint: `Choose the recorded market to play, for instance --market ${marketId}=${first}.` },
  );
}

function marketFor(
  marketId: MarketId,
  recorded: RecordingMarket,
  rules: MarketRulesSpec,
  config: BotConfig,
): Market {
  const { base, quote } = tokensOf(marketId);
  return {
    marketId,
    baseToken: base,
    quoteToken: quote,
    ticker: tickerOf(recorded),
    ...feesFor(recorded, config),
    listed: true,
    rules,
  };
}

/** Symbols of base and quote: those of the recording's market id, or of the source's name where that has only token ids. */
function tickerOf({ marketId, symbol }: RecordingMarket): string {
  const isNumbered = /^\d+_\d+$/.test(marketId);
  return ((isNumbered ? marketNameOf(symbol) : undefined) ?? marketId).replace("_", "/");
}

function feesFor(
  recorded: RecordingMarket,
  config: BotConfig,
): Pick<Market, "makerFee" | "takerFee"> {
  const { maker, taker } = config.models.fees;
  const makerFee = maker === undefined ? recordedRate(recorded.makerFee) : fixedFromNumber(maker);
  const takerFee = taker === undefined ? recordedRate(recorded.takerFee) : fixedFromNumber(taker);
  if (makerFee !== undefined && takerFee !== undefined) return { makerFee, takerFee };
  throw new TouchlineError(
    "FEES_UNKNOWN",
    `Neither the config nor the recording states the fees of ${recorded.marketId}.`,
    { hint: "Add them to the config, for instance fees: { maker: 0.02%, taker: 0.05% }." },
  );
}

function recordedRate(text: string | undefined): Fixed | undefined {
  return text === undefined ? undefined : fixed(text);
}
