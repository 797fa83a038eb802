import { defineStrategy, z } from "touchline";
import {
  checkModel,
  type ModelQuotes,
  modelQuoteParams,
  modelState,
  modelWarnings,
  quoteFromModel,
} from "touchline/ladder";

const params = z.strictObject(modelQuoteParams).superRefine(checkModel);

/**
 * The closed-form approximation of Guéant, "Optimal market making", 2016, arXiv 1605.01862, eq. 4.6 and 4.7 with ξ = γ, for orders of Δ (`size`):
 *
 *   δᵇ(q) = (1/(γΔ))·ln(1 + γΔ/k) + ((2q + Δ)/2)·c        c² = (γσ²/(2AkΔ))·(1 + γΔ/k)^(k/(γΔ) + 1)
 *   δᵃ(q) = (1/(γΔ))·ln(1 + γΔ/k) − ((2q − Δ)/2)·c
 *
 * q and Δ are in base token, distances, σ and 1/k in quote token, γ by quote token, times in seconds.
 */
export function glft(
  { mid, inventory, size, model: { volatility, rate, decay } }: Parameters<ModelQuotes>[0],
  { riskAversion }: { readonly riskAversion: number },
): ReturnType<ModelQuotes> {
  const risk = riskAversion * size;
  const nearest = Math.log1p(risk / decay) / risk;
  const growth = Math.exp((decay / risk + 1) * Math.log1p(risk / decay));
  const skew = volatility * Math.sqrt((riskAversion / (2 * rate * decay * size)) * growth);
  return {
    bid: mid - nearest - (inventory + size / 2) * skew,
    ask: mid + nearest - (inventory - size / 2) * skew,
  };
}

/** One bid and one ask that move against the inventory, by volatility and by how often and how far market orders reach, without an end of the session. */
export default defineStrategy({
  name: "glft",
  summary:
    "One quote a side by Guéant, Lehalle and Fernandez-Tapia, without an end of the session.",
  params,
  ...modelState(1),
  review: ({ params: settings, tick }) => modelWarnings(settings, tick),
  demand: ({ params: { refresh } }) => ({ quotes: 2, refreshMs: refresh }),
  decide: (input) => quoteFromModel(input, (market) => glft(market, input.params)),
});
