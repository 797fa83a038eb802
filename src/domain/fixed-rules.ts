import { assert } from "../base/assert.ts";
import { type Fixed, fixed, fixedText, parseFixed, UNIT } from "./fixed.ts";
import type { FixedRulesSpec, MarketRules, PriceProblem } from "./market-rules.ts";
import { ticksDown, ticksUp } from "./round-ticks.ts";

/** Most decimals that a tick may have: the exchange counts prices in units of 10^-8. */
export const TICK_DECIMALS_MAX = 8;
/** Most decimals that a lot may have (D12). */
export const LOT_DECIMALS_MAX = 18;

/** One tick and one lot at every price; exact for prices below 10^14 ticks. Throws on a tick or lot that is not a positive step. */
export function fixedRules(spec: FixedRulesSpec): MarketRules {
  const tick = step(spec.tick, TICK_DECIMALS_MAX);
  const lot = step(spec.lot, LOT_DECIMALS_MAX);
  const minSize = wholeLotsUp(spec.minSize === undefined ? lot : fixed(spec.minSize), lot);
  // A legal price is a whole number of ticks times `units`, divided once by a power of ten: the nearest double.
  const scale = 10 ** decimalsOf(tick);
  const units = Number((tick * BigInt(scale)) / UNIT);
  const tickSize = units / scale;

  const toTicks = (price: number): number => (price * scale) / units;
  const fromTicks = (ticks: number): number => (ticks * units) / scale;
  const isLegal = (price: number): boolean =>
    price > 0 && Number.isFinite(price) && fromTicks(Math.round(toTicks(price))) === price;
  const roundDown = (price: number): number => {
    assert(Number.isFinite(price), "a finite price");
    return Math.max(0, fromTicks(ticksDown(toTicks(price))));
  };
  const roundUp = (price: number): number => {
    assert(Number.isFinite(price), "a finite price");
    return fromTicks(Math.max(1, ticksUp(toTicks(price))));
  };

  return {
    spec,
    lot,
    roundDown,
    roundUp,
    nextBelow(price) {
      const down = roundDown(price);
      return down < price ? down : fromTicks(Math.max(0, Math.round(toTicks(down)) - 1));
    },
    nextAbove(price) {
      const up = roundUp(price);
      return up > price ? up : fromTicks(Math.round(toTicks(up)) + 1);
    },
    isLegal,
    tickAt: () => tickSize,
    minSizeAt: () => minSize,
    roundSize: (size) => (size - (size % lot)) as Fixed,
    isWholeLots: (size) => size % lot === 0n,
    priceProblem: (text) => problemOf(text, tick),
  };
}

function problemOf(text: string, tick: Fixed): PriceProblem | undefined {
  const price = parseFixed(text);
  if (price === undefined) return "too-many-decimals";
  if (price <= 0n) return "not-positive";
  return price % tick === 0n ? undefined : "off-tick";
}

function step(text: string, decimalsMax: number): Fixed {
  const value = fixed(text);
  assert(value > 0n, "a step above 0");
  assert(decimalsOf(value) <= decimalsMax, `a step of at most ${decimalsMax} decimals`);
  return value;
}

function decimalsOf(value: Fixed): number {
  return fixedText(value).split(".")[1]?.length ?? 0;
}

function wholeLotsUp(size: Fixed, lot: Fixed): Fixed {
  return (((size + lot - 1n) / lot) * lot) as Fixed;
}
