import { assert } from "../base/assert.ts";
import type { Fixed } from "./fixed.ts";
import { fixed } from "./fixed.ts";
import type { MarketRules, PriceProblem } from "./market-rules.ts";
import { ticksDown, ticksUp } from "./round-ticks.ts";

/**
 * The price grid of §4.5 (D22): at most 5 significant digits, at most 8 decimals, decimals and minimum size by tier.
 * A double names a legal price exactly, so prices are numbers here and text on the wire.
 */

export interface PriceTier {
  /** The tier holds prices at or above this. */
  readonly from: number;
  readonly decimals: number;
  /** Smallest order size in base token, as text. */
  readonly minSize: string;
}

/** The table of §4.5, highest tier first; the last row also covers everything below it. */
export const priceTiers: readonly PriceTier[] = [
  { from: 10000, decimals: 0, minSize: "0.00001" },
  { from: 1000, decimals: 1, minSize: "0.0001" },
  { from: 100, decimals: 2, minSize: "0.001" },
  { from: 10, decimals: 3, minSize: "0.01" },
  { from: 1, decimals: 4, minSize: "0.1" },
  { from: 0.1, decimals: 5, minSize: "1" },
  { from: 0.01, decimals: 6, minSize: "1" },
  { from: 0.001, decimals: 7, minSize: "1" },
  { from: 0.00000001, decimals: 8, minSize: "1" },
];

const SIGNIFICANT_DIGITS = 5;
const PRICE_DECIMALS = 8;
const LOWEST_PRICE = 1e-8;

const minSizes: readonly Fixed[] = priceTiers.map((tier) => fixed(tier.minSize));
const lowest = priceTiers.length - 1;

/** A quantity has at most 18 decimals (D12). */
const lot = fixed("0.000000000000000001");

/** The rules of every market on this venue. */
export const gridRules = Object.freeze<MarketRules>({
  spec: { type: "grid" },
  lot,
  roundDown,
  roundUp,
  nextBelow(price) {
    const down = roundDown(price);
    return down < price ? down : tickBelow(down);
  },
  nextAbove(price) {
    const up = roundUp(price);
    return up > price ? up : tickAbove(up);
  },
  isLegal: isLegalPrice,
  tickAt,
  minSizeAt,
  roundSize(size) {
    const rest = size % lot;
    return rest === 0n ? size : ((size - rest) as Fixed);
  },
  isWholeLots: (size) => size % lot === 0n,
  priceProblem,
});

function tierIndex(price: number): number {
  for (let at = 0; at < lowest; at += 1) {
    const tier = priceTiers[at];
    if (tier !== undefined && price >= tier.from) return at;
  }
  return lowest;
}

function tierAt(price: number): PriceTier {
  const tier = priceTiers[tierIndex(price)];
  assert(tier !== undefined, "a tier for every price");
  return tier;
}

function minSizeAt(price: number): Fixed {
  const size = minSizes[tierIndex(price)];
  assert(size !== undefined, "a size for every tier");
  return size;
}

/**
 * log10 of the tick at this price: the finest step that keeps both the tier's decimals and 5 significant digits
 * (-1 at 1834.5, 0 at 61837, 1 at 123450).
 */
function tickExponentAt(price: number): number {
  const tier = tierAt(price);
  if (price < 100000) return -tier.decimals;
  return Math.floor(Math.log10(price) + 1e-12) - (SIGNIFICANT_DIGITS - 1);
}

/** The tick of the grid at this price, in quote token; 10 and more above 100000. */
export function tickAt(price: number): number {
  return fromTicks(1, tickExponentAt(price));
}

/** Powers of ten of all decimals a price may have: looking one up is several times as fast as raising 10. */
const scales: readonly number[] = Array.from({ length: PRICE_DECIMALS + 1 }, (_, decimals) =>
  Number(`1e${decimals}`),
);

function scaleOf(decimals: number): number {
  return scales[decimals] ?? 10 ** decimals;
}

/** `ticks` of 10^exponent as the nearest double, without the error of a multiplication by 0.1. */
function fromTicks(ticks: number, exponent: number): number {
  return exponent >= 0 ? ticks * scaleOf(exponent) : ticks / scaleOf(-exponent);
}

function toTicks(price: number, exponent: number): number {
  return exponent >= 0 ? price / scaleOf(exponent) : price * scaleOf(-exponent);
}

function roundDown(price: number): number {
  assert(Number.isFinite(price), "a finite price");
  if (price < LOWEST_PRICE * (1 - 1e-13)) return 0;
  const exponent = tickExponentAt(price);
  return fromTicks(ticksDown(toTicks(price, exponent)), exponent);
}

function roundUp(price: number): number {
  assert(Number.isFinite(price), "a finite price");
  if (price <= LOWEST_PRICE) return LOWEST_PRICE;
  const exponent = tickExponentAt(price);
  return fromTicks(ticksUp(toTicks(price, exponent)), exponent);
}

/** The next legal price below a legal price; 0 below the lowest. */
function tickBelow(price: number): number {
  if (price <= LOWEST_PRICE) return 0;
  const exponent = tickExponentAt(price);
  const below = fromTicks(Math.round(toTicks(price, exponent)) - 1, exponent);
  // At a tier's edge the finer tick of the tier below applies.
  const finer = tickExponentAt(below);
  return finer === exponent ? below : fromTicks(Math.round(toTicks(price, finer)) - 1, finer);
}

/** The next legal price above a legal price. */
function tickAbove(price: number): number {
  if (price < LOWEST_PRICE) return LOWEST_PRICE;
  const exponent = tickExponentAt(price);
  return fromTicks(Math.round(toTicks(price, exponent)) + 1, exponent);
}

/** True for a double that the grid admits as the price of a limit order. */
export function isLegalPrice(price: number): boolean {
  if (!(price > 0) || !Number.isFinite(price)) return false;
  return roundDown(price) === price;
}

function priceProblem(text: string): PriceProblem | undefined {
  const [whole = "", fraction = ""] = text.split(".");
  const digitsWhole = whole.replace(/^0+/, "");
  const digitsFraction = fraction.replace(/0+$/, "");
  if (digitsWhole === "" && digitsFraction === "") return "not-positive";
  const significant = (digitsWhole + digitsFraction).replace(/^0+/, "").replace(/0+$/, "");
  if (significant.length > SIGNIFICANT_DIGITS) return "too-many-significant-digits";
  const value = Number(text);
  if (digitsFraction.length > tierAt(value).decimals) return "too-many-decimals";
  return undefined;
}
