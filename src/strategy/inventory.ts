import { type BaseAmount, inBase } from "../domain/base-amount.ts";
import type { Side } from "../domain/side.ts";
import type { MarketView } from "./view.ts";

/** The target inventory: a share of the portfolio's value held in base, or an amount of base. */
export type InventoryTarget = { readonly share: number } | { readonly base: number };

/**
 * Deviation of the inventory from its target, from −1 (short by `range` or more) over 0 (on target) to 1 (long by
 * `range` or more):
 *
 *   q = clamp((base − target) / range, −1, 1)       target = share · (base + quote / price) for a share
 *
 * `base` and `quote` include what open orders hold. `range` is in base token.
 */
export function inventoryDeviation(held: {
  readonly base: number;
  readonly quote: number;
  readonly price: number;
  readonly target: InventoryTarget;
  readonly range: number;
}): number {
  const { base, quote, price, target, range } = held;
  const wanted = "base" in target ? target.base : target.share * (base + quote / price);
  const off = base - wanted;
  if (off === 0) return 0;
  return range > 0 ? Math.max(-1, Math.min(1, off / range)) : Math.sign(off);
}

/**
 * `inventoryDeviation` of the strategy's own position or of the account's balances, for the settings of `inventoryParams`; 0 before
 * the balances are known, and when no setting uses it. `price` values the base; `range` applies where the settings have none.
 */
export function inventoryOf(
  view: Pick<MarketView, "balance" | "position">,
  settings: {
    readonly inventory: "position" | "balance";
    readonly inventoryTarget?: number | undefined;
    readonly inventoryTargetBase?: BaseAmount | undefined;
    readonly inventoryRange?: BaseAmount | undefined;
    readonly sizeSkew: number;
    readonly priceSkew: number;
    readonly rebalanceSpread?: number | undefined;
  },
  at: { readonly price: number; readonly range: number },
): number {
  const { inventoryTarget = 0.5, inventoryTargetBase, inventoryRange } = settings;
  const { price } = at;
  const isUsed =
    settings.sizeSkew > 0 || settings.priceSkew > 0 || settings.rebalanceSpread !== undefined;
  if (!isUsed) return 0;
  const numberOf = (amount: BaseAmount) => inBase(amount, price).toNumber();
  const range = inventoryRange === undefined ? at.range : numberOf(inventoryRange);
  const ofBase = { base: inventoryTargetBase === undefined ? 0 : numberOf(inventoryTargetBase) };
  if (settings.inventory === "position") {
    const base = view.position.base.toNumber();
    return inventoryDeviation({ base, quote: 0, price, target: ofBase, range });
  }
  const base = view.balance("base");
  const quote = view.balance("quote");
  if (base === undefined || quote === undefined) return 0;
  return inventoryDeviation({
    base: base.total.toNumber(),
    quote: quote.total.toNumber(),
    price,
    target: inventoryTargetBase === undefined ? { share: inventoryTarget } : ofBase,
    range,
  });
}

/**
 * Factor of a quote's size at deviation `q`: the side that leads back to the target grows by as much as the other side shrinks,
 * so their sum stays the same.
 *
 *   bids: 1 − strength · q       asks: 1 + strength · q       (0 to 2 for a strength of 0 to 1)
 */
export function sizeSkew(side: Side, q: number, strength: number): number {
  return side === "BUY" ? 1 - strength * q : 1 + strength * q;
}

/**
 * The price that quotes are placed around at deviation `q`: below the fair price when long, above it when short, so that fills
 * that lead back to the target are more likely.
 *
 *   r = fair − q · shift
 *
 * Linear in inventory as the price of Ho and Stoll (1981) and the reservation price of Avellaneda and Stoikov (2008, eq. 8),
 * r = s − q·γ·σ²·(T − t); here the caller gives the shift at full deviation, in quote token.
 */
export function reservationPrice(fair: number, q: number, shift: number): number {
  return fair - q * shift;
}
