import { Decimal } from "decimal.js";
import { gridRules } from "../../src/domain/grid-rules.ts";
import { priceText } from "../../src/domain/price.ts";
import type { BenchCase } from "../bench-case.ts";

/** Quotes whose texts are compared. */
const COMPARED = 1_000_000;
/** The part of them that is kept for measuring. */
const KEPT = 2_048;

/** A touch, and the wanted distance of the quote from its mid. */
interface CallEndpoint {
  readonly bid: number;
  readonly ask: number;
  readonly bps: number;
  readonly isBuy: boolean;
}

/** The same for the peer, whose numbers are made beforehand, too. */
interface DecimalAsk {
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly bps: Decimal;
  readonly isBuy: boolean;
}

/**
 * G7: from best bid, best ask and a distance in basis points to the price of a quote as wire text: mid, move, round to the grid of
 * §4.5 on the safe side, text. Ours calculates in doubles, the peer in decimal.js, which is exact here: every text of a million
 * quotes at all price tiers is compared, so a double that rounds to a wrong tick is seen.
 */
export const quoteText: BenchCase = {
  goal: "G7",
  title: "quote arithmetic to text: mid, basis points, tick, text",
  unit: "us",
  async prepare(scale) {
    const compared = Math.max(KEPT, COMPARED * scale);
    const asks: CallEndpoint[] = [];
    let problem: string | undefined;
    for (let number = 0; number < compared && problem === undefined; number += 1) {
      const ask = callOf(number);
      const mine = ours(ask);
      const exact = theirs(decimalOf(ask));
      if (mine !== exact) problem = `${JSON.stringify(ask)} gives ${mine}, exactly it is ${exact}`;
      if (number < KEPT) asks.push(ask);
    }
    return {
      sides: [
        { name: "touchline", run: loop(asks, ours) },
        { name: "decimal.js", run: loop(asks.map(decimalOf), theirs) },
      ],
      check: () => problem,
      remarks: () => [`${compared.toLocaleString("en-US")} texts compared`],
    };
  },
};

function loop<Item>(items: readonly Item[], quote: (item: Item) => string) {
  return (iterations: number): number => {
    let length = 0;
    for (let count = 0; count < iterations; count += 1) {
      const item = items[count % KEPT];
      if (item !== undefined) length += quote(item).length;
    }
    return length;
  };
}

/** Any legal touch a few ticks wide from 0.00001 to 100,000, 1 to 100 basis points; spread evenly by a multiplicative sequence. */
function callOf(number: number): CallEndpoint {
  const share = (step: number): number => ((number + 1) * step) % 1;
  const price = 10 ** (-5 + 10 * share(0.6180339887498949));
  const bid = gridRules.roundDown(price);
  let ask = gridRules.nextAbove(bid);
  for (let ticks = Math.floor(share(0.7548776662466927) * 4); ticks > 0; ticks -= 1) {
    ask = gridRules.nextAbove(ask);
  }
  const bps = 1 + Math.floor(share(0.5698402909980532) * 100);
  return { bid, ask, bps, isBuy: number % 2 === 0 };
}

function ours({ bid, ask, bps, isBuy }: CallEndpoint): string {
  const mid = (bid + ask) / 2;
  const price = isBuy
    ? gridRules.roundDown(mid * (1 - bps / 1e4))
    : gridRules.roundUp(mid * (1 + bps / 1e4));
  return priceText(price);
}

function decimalOf({ bid, ask, bps, isBuy }: CallEndpoint): DecimalAsk {
  const exact = (price: number): Decimal => new Decimal(priceText(price));
  return { bid: exact(bid), ask: exact(ask), bps: new Decimal(bps), isBuy };
}

const half = new Decimal("0.5");
const basisPoint = new Decimal("0.0001");
const one = new Decimal(1);

/** Sums and products only, since a division takes decimal.js several times as long, and the tier by the exponent. */
function theirs({ bid, ask, bps, isBuy }: DecimalAsk): string {
  const part = bps.times(basisPoint);
  const price = bid
    .plus(ask)
    .times(half)
    .times(isBuy ? one.minus(part) : one.plus(part));
  const rounding = isBuy ? Decimal.ROUND_DOWN : Decimal.ROUND_UP;
  // Each tier begins at a power of ten: prices of 1 to 10 have four decimals.
  const decimals = Math.max(0, Math.min(8, 4 - price.e));
  const rounded = price.toDecimalPlaces(decimals, rounding);
  // Above 100,000 five digits are coarser than whole numbers.
  return rounded.gte(100_000)
    ? rounded.toSignificantDigits(5, rounding).toFixed()
    : rounded.toFixed();
}
