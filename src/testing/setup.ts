import { assert } from "../base/assert.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import { TouchlineError } from "../base/error.ts";
import type { ReplaySetup } from "../backtest/replay-setup.ts";
import { usedModels } from "../backtest/used-models.ts";
import type { MarketCandle, Resolution } from "../domain/candle.ts";
import { duration, parseShare } from "../domain/setting.ts";
import { fixed, fixedFromNumber } from "../domain/fixed.ts";
import { gridRules } from "../domain/grid-rules.ts";
import { marketId, tokenId, type TokenId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { Market } from "../domain/market.ts";
import { latencySchema } from "../config/latency-config.ts";
import { defaultTiming } from "../kernel/config.ts";
import { riskSchema } from "../risk/settings.ts";
import { kernelConfig } from "../runtime/kernel-config.ts";
import { defaultFills } from "../simulated/queue-models.ts";
import { marketFees } from "../simulated/fee-model.ts";
import { constantDelays } from "../simulated/latency-model.ts";
import { venueModels } from "../simulated/venue-models.ts";
import { NOBODY } from "../simulated/simulated-account.ts";
import type { StrategyDefinition } from "../strategy/contract.ts";
import { z } from "zod";

export interface TrialOptions<Params = unknown> {
  /** The strategy's parameters as in the YAML; default none. */
  readonly params?: Params;
  /**
   * Which market each of the strategy's names is, as `"BASE/QUOTE"`; a name in two of them is one token. Default `BASE/QUOTE`, and for
   * `hedge` the same base token against `HEDGE`.
   */
  readonly markets?: Readonly<Record<string, string>>;
  /** Starting balances in its own market; default 1000000 of each token, as of all others. */
  readonly balances?: { readonly base: string; readonly quote: string };
  /** Fees such as `"0.02%"` or `"0.0002"`; default 0.02 % and 0.05 %. */
  readonly fees?: { readonly maker: string; readonly taker: string };
  /** Order limits as `risk:` in the YAML; default those of a bot without it, such as a price collar of 5 %. */
  readonly risk?: z.input<typeof riskSchema>;
  /** Delays such as `{ entry: "20ms", response: "20ms", feed: "20ms" }`; default none. */
  readonly latency?: Partial<Record<keyof typeof noDelays, string>>;
  /** Price sources by name, as `sources:` in the YAML; the trial sets their prices (`StrategyTrial.source`). */
  readonly sources?: Readonly<Record<string, TrialSource>>;
  /** What `warmUp` of the strategy gets; default nothing. */
  readonly history?: TrialHistory;
  /** Seed of the strategy's random numbers; default 1. */
  readonly seed?: number;
}

/** A trade of others, or a fill of the strategy, with numbers that tests can compare. */
export interface TestTrade {
  readonly side: Side;
  readonly price: number;
  readonly quantity: number;
}

export interface TrialHistory {
  /** The candles before the trial's start, oldest first, and their resolution. */
  readonly resolution?: Resolution;
  readonly candles?: readonly Omit<MarketCandle, "timeMs">[];
  /** The trades before the trial's start, oldest first. */
  readonly trades?: readonly TestTrade[];
}

export interface TrialSource {
  /** Default `"5s"`. */
  readonly maxAge?: string;
  /** Default `stop`. */
  readonly whenOld?: "stop" | "widen";
}

const noDelays = { entry: "0ms", response: "0ms", feed: "0ms" };
const AMPLE = "1000000";
/** The strategy's markets by its names, and a bot with this one strategy. Throws TouchlineError `PARAMS_INVALID`, `FEES_INVALID` or `OPTIONS_INVALID`. */
export function trialSetup(
  definition: StrategyDefinition,
  options: TrialOptions,
): ReplaySetup & {
  readonly market: Market;
  readonly byRole: ReadonlyMap<string, Market>;
  readonly delays: z.output<typeof latencySchema>;
} {
  const { balances = { base: AMPLE, quote: AMPLE } } = options;
  const byRole = trialMarkets(definition, options);
  const [market, ...others] = byRole.values();
  assert(market !== undefined, "the first market is its own");
  const markets = [market, ...others];
  const delays = parsed("OPTIONS_INVALID", latencySchema, { ...noDelays, ...options.latency });
  const models = venueModels(
    {
      fills: defaultFills,
      latency: constantDelays(delays),
      fees: marketFees,
    },
    "recording",
  );
  const params = parsed("PARAMS_INVALID", definition.params, options.params ?? {});
  return {
    market,
    byRole,
    delays,
    kernel: kernelConfig(
      {
        strategies: [
          {
            name: definition.name,
            definition,
            params,
            marketId: market.marketId,
            otherMarkets: Object.fromEntries(
              [...byRole].slice(1).map(([role, other]) => [role, other.marketId]),
            ),
            seed: options.seed ?? 1,
          },
        ],
        sources: Object.entries(options.sources ?? {}).map(
          ([name, { maxAge = "5s", whenOld = "stop" }]) => ({
            name,
            origin: { type: "input" } as const,
            maxAgeMs: parsed("OPTIONS_INVALID", duration(), maxAge),
            whenOld,
          }),
        ),
        rateLimit: { perSecond: 10_000, burst: 10_000, concurrency: 256 },
        risk: parsed("OPTIONS_INVALID", riskSchema, options.risk ?? {}),
        timing: defaultTiming,
        execution: { useModify: false },
      },
      "replay",
      { owner: NOBODY, markets },
    ),
    chainId: 1001,
    markets: markets.map((one) => ({ market: one, recordedId: one.marketId })),
    balances: new Map([
      ...markets.flatMap(({ baseToken, quoteToken }) =>
        [baseToken, quoteToken].map((token) => [token, fixed(AMPLE)] as const),
      ),
      [market.baseToken, fixed(balances.base)],
      [market.quoteToken, fixed(balances.quote)],
    ]),
    models,
    usedModels: usedModels(models.settings, markets),
    reportingCurrency: undefined,
    warnings: [],
  };
}

function trialMarkets(
  { markets: roles = [OWN_MARKET] }: StrategyDefinition,
  { markets: pairs = {}, fees }: TrialOptions,
): ReadonlyMap<string, Market> {
  const tokens: string[] = [];
  const token = (name: string): TokenId => {
    if (!tokens.includes(name)) tokens.push(name);
    return tokenId(String(tokens.indexOf(name) + 1));
  };
  const market = (role: string): Market => {
    const ticker = pairs[role] ?? `BASE/${role === OWN_MARKET ? "QUOTE" : role.toUpperCase()}`;
    const [base = "", quote = "", ...rest] = ticker.split("/");
    if (base === "" || quote === "" || base === quote || rest.length > 0) {
      throw optionsInvalid(`${role}: ${ticker} is not a market, such as ETH/USDT.`);
    }
    const [baseToken, quoteToken] = [token(base), token(quote)];
    return {
      marketId: marketId(baseToken, quoteToken),
      baseToken,
      quoteToken,
      ticker,
      makerFee: feeRate(fees?.maker ?? "0.02%"),
      takerFee: feeRate(fees?.taker ?? "0.05%"),
      listed: true,
      rules: gridRules.spec,
    };
  };
  const unknown = Object.keys(pairs).find((name) => !roles.some((role) => role === name));
  if (unknown !== undefined) {
    throw optionsInvalid(`${unknown} is not one of the strategy's markets: ${roles.join(", ")}.`);
  }
  const all = new Map(roles.map((role) => [role, market(role)]));
  if (new Set([...all.values()].map(({ marketId: id }) => id)).size < all.size) {
    throw optionsInvalid("Two of the strategy's markets are the same one.");
  }
  return all;
}

function optionsInvalid(sentence: string): TouchlineError {
  return new TouchlineError("OPTIONS_INVALID", sentence, {
    hint: 'For example markets: { main: "ETH/USDT", hedge: "ETH/EUR" }.',
  });
}

function parsed<Schema extends z.ZodType>(
  code: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new TouchlineError(code, z.prettifyError(result.error));
}

function feeRate(written: string): Market["makerFee"] {
  const share = parseShare(written);
  if (share === undefined || share < 0 || share >= 1) {
    throw new TouchlineError("FEES_INVALID", `${written} is not a fee, such as 0.02% or 0.0002.`);
  }
  return fixedFromNumber(share);
}
