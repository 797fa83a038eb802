import { assert } from "../base/assert.ts";
import type { Fixed } from "./fixed.ts";
import { fixed, plainNumber } from "./fixed.ts";

/**
 * The one price rule (§4.5, D22): at most 5 significant digits, at most 8 decimals, decimals and minimum size by tier.
 * A legal price is named exactly by a double, so prices are numbers here and text on the wire.
 */

export interface PriceTier {
  /** The tier holds prices at or above this. */
  readonly from: number;
  readonly decimals: number;
  /** Smallest order size in base token, as text. */
  readonly minSize: string;
}

/** §4.5's table, highest tier first; the last row also stands for everything below it. */
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

const minSizes: readonly Fixed[] = priceTiers.map((tier) => fixed(tier.minSize));
const lowest = priceTiers.length - 1;

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

/** Smallest order size in base token at this price. */
export function minSizeAt(price: number): Fixed {
  const size = minSizes[tierIndex(price)];
  assert(size !== undefined, "a size for every tier");
  return size;
}

/**
 * log10 of the tick at this price: the finest step that keeps both the tier's decimals and 5 significant digits
 * (-1 at 1834.5, 0 at 61837, 1 at 123450).
 */
export function tickExponentAt(price: number): number {
  const tier = tierAt(price);
  if (price < 100000) return -tier.decimals;
  return Math.floor(Math.log10(price) + 1e-12) - (SIGNIFICANT_DIGITS - 1);
}

/** The tick at this price, in quote token; 10 and more above 100000. */
export function tickAt(price: number): number {
  return Number(`1e${tickExponentAt(price)}`);
}

/** Powers of ten of all decimals a price may have: looking one up is several times as fast as raising 10. */
const scales: readonly number[] = Array.from({ length: PRICE_DECIMALS + 1 }, (_, decimals) =>
  Number(`1e${decimals}`),
);

function scaleOf(decimals: number): number {
  return scales[decimals] ?? 10 ** decimals;
}

/** `units` ticks of 10^exponent as the nearest double, without the error of a multiplication by 0.1. */
function fromUnits(units: number, exponent: number): number {
  return exponent >= 0 ? units * scaleOf(exponent) : units / scaleOf(-exponent);
}

function toUnits(price: number, exponent: number): number {
  return exponent >= 0 ? price / scaleOf(exponent) : price * scaleOf(-exponent);
}

/**
 * Slack for a double that stands for a grid price but carries arithmetic noise: some hundred ulps. A mid moved by a share of
 * its own has about ten digits and may truly lie 10^-10 from the grid, so more slack would round a bid up now and then.
 */
const NOISE = 1e-13;

/** Highest legal price at or below `price`; 0 when there is none. Use it for bids. */
export function roundPriceDown(price: number): number {
  assert(Number.isFinite(price), "a finite price");
  if (price < 1e-8 * (1 - NOISE)) return 0;
  const exponent = tickExponentAt(price);
  const units = toUnits(price, exponent);
  const nearest = Math.round(units);
  const kept = Math.abs(units - nearest) <= Math.abs(units) * NOISE ? nearest : Math.floor(units);
  return fromUnits(kept, exponent);
}

/** Lowest legal price at or above `price`. Use it for asks. */
export function roundPriceUp(price: number): number {
  assert(Number.isFinite(price), "a finite price");
  if (price <= 1e-8) return 1e-8;
  const exponent = tickExponentAt(price);
  const units = toUnits(price, exponent);
  const nearest = Math.round(units);
  const kept = Math.abs(units - nearest) <= Math.abs(units) * NOISE ? nearest : Math.ceil(units);
  return fromUnits(kept, exponent);
}

/** The next legal price below a legal price; 0 below the lowest. */
export function tickBelow(price: number): number {
  if (price <= 1e-8) return 0;
  const exponent = tickExponentAt(price);
  const below = fromUnits(Math.round(toUnits(price, exponent)) - 1, exponent);
  // At a tier's edge the finer tick of the tier below applies.
  const finer = tickExponentAt(below);
  return finer === exponent ? below : fromUnits(Math.round(toUnits(price, finer)) - 1, finer);
}

/** The next legal price above a legal price. */
export function tickAbove(price: number): number {
  if (price < 1e-8) return 1e-8;
  const exponent = tickExponentAt(price);
  return fromUnits(Math.round(toUnits(price, exponent)) + 1, exponent);
}

/** Is this double a price that the venue admits for a limit order? */
export function isLegalPrice(price: number): boolean {
  if (!(price > 0) || !Number.isFinite(price)) return false;
  return roundPriceDown(price) === price;
}

export type PriceProblem = "not-positive" | "too-many-significant-digits" | "too-many-decimals";

/** §4.5 on the text of a price, exactly; undefined when it is legal. Trailing zeros never count (D22). */
export function priceProblem(text: string): PriceProblem | undefined {
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

/** A price as wire text: plain decimals, no exponent, no trailing zeros. The only formatter of prices. */
export function priceText(price: number): string {
  return plainNumber(price);
}
