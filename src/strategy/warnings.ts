import { durationText, percentText } from "../domain/setting.ts";

/** The widest tick as a share of a price above 0.001: 5 significant digits (§4.5). */
const WIDEST_TICK = 0.0001;

/** Warnings for `review` about a distance from the mid, `name`, that is less than a tick; both are shares of the mid. */
export function tickWarnings(name: string, distance: number, tick = 0): string[] {
  return distance >= tick
    ? []
    : [
        `a tick is ${percentText(tick, 2)} of the price, wider than ${name} (${percentText(distance)}): orders are placed further from the mid`,
      ];
}

/** Warnings for `review` about a ladder's first spreads and steps, which are shares of the mid. */
export function ladderWarnings(ladder: {
  readonly bidSpread: number;
  readonly askSpread: number;
  readonly levels: number;
  readonly levelSpread: number;
  readonly tolerance: number;
  readonly makerFee: number;
  /** As in `limitParams`; with it, spreads are at least the fee. */
  readonly minEdge?: number | undefined;
  /** As `review` has it. */
  readonly tick?: number | undefined;
}): string[] {
  const { bidSpread, askSpread, levels, levelSpread, tolerance, makerFee, minEdge, tick } = ladder;
  const first = Math.min(bidSpread, askSpread);
  const found = tickWarnings("the first spread", first, tick);
  if (minEdge === undefined && makerFee > 0 && bidSpread + askSpread <= 2 * makerFee) {
    found.push(
      `the first spreads (${percentText(bidSpread + askSpread)} together) do not pay the maker fees of a round trip (${percentText(2 * makerFee)}): every pair of fills loses money; widen them or set minEdge`,
    );
  } else if (
    minEdge === undefined &&
    makerFee > 0 &&
    tolerance < first &&
    first - tolerance <= makerFee
  ) {
    found.push(
      `a quote may rest at ${percentText(first - tolerance, 6)} from the fair price (the first spread less the tolerance), which does not pay the maker fee (${percentText(makerFee)}): narrow requote.nearer, widen the spread or set minEdge`,
    );
  }
  if (tolerance >= first) {
    found.push(
      `tolerance (${percentText(tolerance)}) is not below the first spread (${percentText(first)}): a quote may rest at the mid or beyond it`,
    );
  }
  if (levels > 1 && levelSpread < (tick ?? WIDEST_TICK)) {
    const step =
      tick === undefined
        ? `may be less than a tick (up to ${percentText(WIDEST_TICK)} of the price)`
        : `is less than a tick (${percentText(tick, 2)} of the price)`;
    found.push(
      `the step between levels (${percentText(levelSpread)}) ${step}: levels meet on one price and become one quote`,
    );
  } else if (levels > 1 && tolerance > levelSpread) {
    found.push(
      `tolerance (${percentText(tolerance)}) is above the step between levels (${percentText(levelSpread)}): levels may bunch up`,
    );
  }
  return found;
}

/** Warnings for `review` about these of `quoteParams`, in milliseconds. */
export function quoteWarnings(quotes: {
  readonly refresh: number;
  readonly minOrderLifetime: number;
  readonly maxOrderAge?: number | undefined;
}): string[] {
  const { refresh, minOrderLifetime, maxOrderAge } = quotes;
  const found: string[] = [];
  if (maxOrderAge !== undefined && maxOrderAge <= refresh) {
    found.push(
      `maxOrderAge (${durationText(maxOrderAge)}) is not above refresh (${durationText(refresh)}): every refresh replaces everything and loses its place in the queue`,
    );
  }
  if (minOrderLifetime > refresh) {
    found.push(
      `minOrderLifetime (${durationText(minOrderLifetime)}) is above refresh (${durationText(refresh)}): quotes stay behind where the market has left`,
    );
  }
  return found;
}

/** Warnings for `review` about these of `inventoryParams`, which are shares of the mid. */
export function inventoryWarnings(settings: {
  readonly bidSpread: number;
  readonly askSpread: number;
  readonly makerFee: number;
  readonly sizeTolerance: number;
  readonly sizeSkew: number;
  readonly priceSkew: number;
  readonly rebalanceSpread?: number | undefined;
  /** As in `limitParams`; with it, nothing trades at a loss. */
  readonly minEdge?: number | undefined;
}): string[] {
  const { makerFee, sizeTolerance, sizeSkew, priceSkew, rebalanceSpread, minEdge } = settings;
  const earned = Math.min(settings.bidSpread, settings.askSpread) - makerFee;
  const found: string[] = [];
  if (minEdge === undefined && priceSkew > 0 && priceSkew > earned) {
    found.push(
      `priceSkew (${percentText(priceSkew)}) is above what the first spread leaves after the maker fee (${percentText(earned)}): at full deviation the side that leads back trades at a loss; set minEdge to stop that`,
    );
  }
  if (minEdge === undefined && rebalanceSpread !== undefined && rebalanceSpread < makerFee) {
    found.push(
      `rebalanceSpread (${percentText(rebalanceSpread)}) is under the maker fee (${percentText(makerFee)}): bringing the inventory back loses money each time`,
    );
  }
  if (sizeSkew > 0 && sizeTolerance === 0) {
    found.push(
      "sizeSkew with a sizeTolerance of 0: sizes follow every change of price and inventory, so every refresh replaces everything",
    );
  }
  return found;
}
