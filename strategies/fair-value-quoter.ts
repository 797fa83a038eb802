import { defineStrategy, duration, inBase, percentText, share, sourceName, z } from "touchline";
import {
  basis,
  secondVolatility,
  volatility,
  type VolatilityState,
  type WeightedMean,
} from "touchline/estimators";
import {
  fairParams,
  followFairPrice,
  inventoryDeviation,
  inventoryParams,
  ladderWarnings,
  modelQuoteParams,
  newFairMemory,
  newRequoteMemory,
  quoteOneASide,
  quoteParams,
  requoteOf,
  reservationPrice,
  unquoted,
} from "touchline/ladder";

const params = z.strictObject({
  source: sourceName().describe("Name of the price source that says what base is worth."),
  size: modelQuoteParams.size,
  minEdge: share({ max: 0.5 }).describe(
    "Least half spread beyond the maker fee, as a share of the fair value.",
  ),
  volatilityFactor: z
    .number()
    .min(0)
    .max(100)
    .default(2)
    .describe("Standard deviations of a move over `horizon` that the half spread covers (c)."),
  horizon: duration({ min: 1 })
    .prefault("1s")
    .describe("How long a quote may be out of date before it is moved (τ)."),
  volatility: modelQuoteParams.volatility,
  halfLife: modelQuoteParams.halfLife,
  basisHalfLife: duration({ min: 60_000 })
    .prefault("10m")
    .describe(
      "After this time a measured difference between the market and the source counts half.",
    ),
  maxGap: share({ min: 0.0001, max: 0.5 })
    .prefault("1%")
    .describe(
      "When the market's price is farther than this from the fair value, the spread is wider by the excess; from twice this on nothing is quoted.",
    ),
  maxInventory: modelQuoteParams.maxInventory,
  inventoryRange: inventoryParams.inventoryRange,
  priceSkew: inventoryParams.priceSkew,
  refresh: quoteParams.refresh,
  tolerance: quoteParams.tolerance,
  requote: quoteParams.requote,
  sizeTolerance: quoteParams.sizeTolerance,
  ...fairParams,
});

type Settings = z.output<typeof params>;

/** A basis is measured at most this often. */
const BASIS_MS = 1_000;

/** What was measured: plain data for JSON. */
interface Measured {
  readonly basis: WeightedMean;
  readonly volatility: VolatilityState;
}

function estimatorsOf({ halfLife, basisHalfLife, volatility: ofDay }: Settings) {
  const prior = ofDay && secondVolatility(ofDay);
  return {
    basis: basis({ halfLifeMs: basisHalfLife, intervalMs: BASIS_MS }),
    volatility: volatility({ halfLifeMs: halfLife, prior }),
  };
}

/**
 * The half spread as a share of the fair value, for σ of one second and τ in seconds:
 *
 *   h = max(fee + minEdge, c·σ·√τ)
 */
export function halfSpreadOf(market: {
  readonly fee: number;
  readonly minEdge: number;
  readonly factor: number;
  readonly sigma: number;
  readonly seconds: number;
}): number {
  const { fee, minEdge, factor, sigma, seconds } = market;
  return Math.max(fee + minEdge, factor * sigma * Math.sqrt(seconds));
}

/** One bid and one ask around the price of a source, brought to the level of this market by the average difference. */
export default defineStrategy({
  name: "fair-value-quoter",
  summary: "One quote a side around a price from elsewhere, wider when the price moves more.",
  params,
  init: ({ params: settings }) => {
    const estimators = estimatorsOf(settings);
    const measured: Measured = {
      basis: estimators.basis.start(),
      volatility: estimators.volatility.start(),
    };
    return { measured, fair: newFairMemory(), requote: newRequoteMemory() };
  },
  state: {
    version: 1,
    save: ({ measured }) => measured,
    load: (data, _version, begun) => ({ ...begun, measured: data as Measured }),
  },
  review: ({ params: settings, makerFee, tick }) => warnings(settings, makerFee, tick),
  demand: ({ params: { refresh } }) => ({ quotes: 2, refreshMs: refresh }),

  decide({ view, params: settings, state }) {
    const { nowMs, makerFee: fee } = view;
    const { minEdge, maxGap } = settings;
    const { measured } = state;
    const estimators = estimatorsOf(settings);
    const watchMs = nowMs + BASIS_MS;
    const none = (reason: string) => unquoted(state.requote, reason, { wakeAtMs: watchMs });
    const least = fee + minEdge;
    const local = followFairPrice(state.fair, view, settings, {
      spread: { BUY: least, SELL: least },
      size: settings.size,
    });
    const source = view.sources[settings.source]?.mid;
    estimators.volatility.update(measured.volatility, { timeMs: nowMs, price: source });
    if (source === undefined) return none(`source ${settings.source} has no price`);
    if (local.doubt !== undefined) return none(local.doubt);
    const { mid } = local;

    // A move of this market alone moves the basis by no more than a gap of `maxGap` would.
    const known = estimators.basis.value(measured.basis);
    const most = maxGap * mid;
    const usual = known === undefined ? mid : source + known;
    const counted = Math.min(Math.max(mid, usual - most), usual + most);
    estimators.basis.update(measured.basis, { timeMs: nowMs, local: counted, source });
    const difference = estimators.basis.value(measured.basis);
    const sigma = estimators.volatility.value(measured.volatility);
    if (difference === undefined) return none("the basis is not measured yet");
    if (sigma === undefined) return none("volatility is not measured yet");

    const value = source + difference;
    const gap = Math.abs(mid - value) / value;
    if (!(value > 0) || gap > 2 * maxGap) {
      return none(`the market is more than ${percentText(2 * maxGap)} from the fair value`);
    }
    const size = view.roundSize(inBase(settings.size, mid));
    if (!size.gt(0)) return none("the size is below a lot");
    const q = inventoryDeviation({
      base: view.position.base.toNumber(),
      quote: 0,
      price: mid,
      target: { base: 0 },
      range: inBase(settings.inventoryRange ?? size.times(2), mid).toNumber(),
    });
    const centre = reservationPrice(value, q, settings.priceSkew * value);
    const seconds = settings.horizon / 1_000;
    const spread = halfSpreadOf({
      fee,
      minEdge,
      factor: settings.volatilityFactor,
      sigma,
      seconds,
    });
    const halfSpread = spread + Math.max(0, gap - maxGap);
    const starts = {
      BUY: Math.min(centre - halfSpread * value, view.book.best("SELL")?.price ?? mid),
      SELL: Math.max(centre + halfSpread * value, view.book.best("BUY")?.price ?? mid),
    };
    return quoteOneASide(state.requote, view, settings, {
      starts,
      mid,
      size,
      halfSpread: spread,
      watchMs,
    });
  },
});

function warnings(settings: Settings, makerFee: number, tick: number | undefined): string[] {
  const { minEdge, maxGap, priceSkew } = settings;
  const least = makerFee + minEdge;
  const { nearer } = requoteOf(settings, least);
  const found = ladderWarnings({
    bidSpread: least,
    askSpread: least,
    levels: 1,
    levelSpread: 0,
    tolerance: nearer,
    makerFee,
    tick,
  });
  if (priceSkew > minEdge) {
    found.push(
      `priceSkew (${percentText(priceSkew)}) is above minEdge (${percentText(minEdge)}): with a full inventory the side that leads back trades at a loss`,
    );
  }
  if (maxGap <= least) {
    found.push(
      `maxGap (${percentText(maxGap)}) is not above the least half spread (${percentText(least)}): the market's own moves widen the spread`,
    );
  }
  return found;
}
