import { z } from "zod";
import { duration, share } from "../domain/setting.ts";
import { type IntensityState, tradeIntensity } from "../estimators/trade-intensity.ts";
import { secondVolatility, volatility, type VolatilityState } from "../estimators/volatility.ts";
import type { MarketView } from "./view.ts";

/** Parameters of `followMarket` and `marketModel`, to spread into a schema. */
export const modelParams = {
  volatility: share({ min: 0.00001, max: 10 })
    .optional()
    .describe("Standard deviation of a day's return, used until it is measured."),
  tradeRate: z
    .number()
    .min(0.000001)
    .max(1_000_000)
    .optional()
    .describe(
      "Market orders a second on each side (A), used with tradeReach until both are measured.",
    ),
  tradeReach: share({ min: 0.000001, max: 0.5 })
    .optional()
    .describe(
      "Distance from the mid that only one of e market orders reaches (1/k), as a share of the mid.",
    ),
  fitFrom: share({ max: 0.5 })
    .prefault("0%")
    .describe("Market orders that reach less far than this from the mid are not fitted."),
  fitTo: share({ min: 0.00001, max: 1 })
    .prefault("0.5%")
    .describe("Market orders that reach as far as this from the mid are not fitted."),
  halfLife: duration({ min: 60_000 })
    .prefault("10m")
    .describe("After this time a measured price move or market order counts half."),
};

const settingsSchema = z.object(modelParams);
export type MarketModelSettings = z.output<typeof settingsSchema>;

/** Refuses settings of `modelParams` that contradict each other: the `superRefine` of a schema. */
export function checkModel(settings: MarketModelSettings, context: z.RefinementCtx): void {
  const { tradeRate, tradeReach, fitFrom, fitTo } = settings;
  if (fitTo <= fitFrom) {
    context.addIssue({ code: "custom", path: ["fitTo"], message: "is not above fitFrom" });
  }
  if ((tradeRate === undefined) !== (tradeReach === undefined)) {
    const [path, other] =
      tradeRate === undefined ? ["tradeReach", "tradeRate"] : ["tradeRate", "tradeReach"];
    const message = `is used only with ${other}: give both or neither`;
    context.addIssue({ code: "custom", path: [path], message });
  }
}

/** Plain data for JSON. */
export interface ModelState {
  readonly volatility: VolatilityState;
  readonly intensity: IntensityState;
}

function estimatorsOf(settings: MarketModelSettings) {
  const { halfLife: halfLifeMs, volatility: ofDay, tradeRate, tradeReach } = settings;
  const prior = ofDay && secondVolatility(ofDay);
  const range = [settings.fitFrom, settings.fitTo] as const;
  const intensity =
    tradeRate === undefined || tradeReach === undefined
      ? undefined
      : { rate: tradeRate, decay: 1 / tradeReach };
  return {
    volatility: volatility({ halfLifeMs, prior }),
    intensity: tradeIntensity({ halfLifeMs, range, prior: intensity }),
  };
}

export function startMarket(settings: MarketModelSettings): ModelState {
  const { volatility: ofPrice, intensity } = estimatorsOf(settings);
  return { volatility: ofPrice.start(), intensity: intensity.start() };
}

/** Takes note of the mid, undefined while it is in doubt, and of the public trades; call it in every decision. */
export function followMarket(
  state: ModelState,
  {
    nowMs: timeMs,
    mid,
    trades,
  }: Pick<MarketView, "nowMs" | "trades"> & { readonly mid: number | undefined },
  settings: MarketModelSettings,
): void {
  const { volatility: ofPrice, intensity } = estimatorsOf(settings);
  ofPrice.update(state.volatility, { timeMs, price: mid });
  intensity.update(state.intensity, { timeMs, mid, trades });
}

/** What models of quoting know of a market, in seconds, base token and quote token. */
export interface MarketModel {
  /** σ: standard deviation of the price's change in one second, in quote token. */
  readonly volatility: number;
  /** A: market orders a second on a side. */
  readonly rate: number;
  /** k, by quote token of distance from the mid. */
  readonly decay: number;
}

/** Undefined while something is not measured and has no value in the settings. */
export function marketModel(
  state: ModelState,
  settings: MarketModelSettings,
  mid: number,
): MarketModel | undefined {
  const estimators = estimatorsOf(settings);
  const sigma = estimators.volatility.value(state.volatility);
  const intensity = estimators.intensity.value(state.intensity);
  if (sigma === undefined || intensity === undefined) return undefined;
  return { volatility: sigma * mid, rate: intensity.rate, decay: intensity.decay / mid };
}
