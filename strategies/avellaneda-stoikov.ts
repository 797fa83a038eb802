import { defineStrategy, duration, type MarketView, z } from "touchline";
import {
  checkModel,
  type ModelQuotes,
  modelQuoteParams,
  modelState,
  modelWarnings,
  quoteFromModel,
  reservationPrice,
} from "touchline/ladder";

const { size, riskAversion, ...others } = modelQuoteParams;

const params = z
  .strictObject({
    size,
    riskAversion,
    horizon: duration({ min: 60_000, max: 86_400_000 })
      .prefault("1h")
      .describe(
        "Length of a session, at whose end the inventory is valued at the mid; sessions follow one another from 00:00 UTC.",
      ),
    ...others,
  })
  .superRefine(checkModel);

/**
 * The quotes of Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8(3), 2008:
 *
 *   r = s − q·γ·σ²·(T − t)                                    (29)
 *   δᵃ + δᵇ = γ·σ²·(T − t) + (2/γ)·ln(1 + γ/k)                (30)
 *
 * for orders of one unit. Here the unit is `size`, and q is in base token: r is the same, and the spread is the paper's with γ·size for γ.
 * Distances, σ and 1/k are in quote token, γ by quote token, times in seconds.
 */
export function avellanedaStoikov(
  { mid, inventory, size: unit, model: { volatility, decay } }: Parameters<ModelQuotes>[0],
  settings: { readonly riskAversion: number; readonly secondsLeft: number },
): ReturnType<ModelQuotes> {
  const { riskAversion: gamma, secondsLeft } = settings;
  const risk = gamma * volatility ** 2 * secondsLeft;
  const centre = reservationPrice(mid, inventory, risk);
  const spread = risk * unit + (2 / (gamma * unit)) * Math.log1p((gamma * unit) / decay);
  return { bid: centre - spread / 2, ask: centre + spread / 2 };
}

/** T − t of the session that `nowMs` is in. */
function secondsLeft({ nowMs }: MarketView, horizonMs: number): number {
  return (horizonMs - (nowMs % horizonMs)) / 1_000;
}

/** One bid and one ask around a price that moves against the inventory, by volatility, time left and how far market orders reach. */
export default defineStrategy({
  name: "avellaneda-stoikov",
  summary: "One quote a side by Avellaneda and Stoikov (2008), for sessions of a fixed length.",
  params,
  ...modelState(1),
  review: ({ params: settings, tick }) => modelWarnings(settings, tick),
  demand: ({ params: { refresh } }) => ({ quotes: 2, refreshMs: refresh }),
  decide: (input) =>
    quoteFromModel(input, (market) => {
      const { view, params: settings } = input;
      const left = secondsLeft(view, settings.horizon);
      return avellanedaStoikov(market, { ...settings, secondsLeft: left });
    }),
});
