import { symbolOf } from "./token-of.ts";
import { TouchlineError } from "../base/error.ts";
import { type Fixed, fixed, fixedText, fixedToNumber, mulFixed } from "../domain/fixed.ts";
import { rulesOf } from "../domain/rules-of.ts";
import { marketFrom } from "../gateway/from-wire.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { WireOrder } from "../spec/resources.ts";
import { tokenSymbols } from "./token-of.ts";
import type { VenueAccess } from "./venue-access.ts";

/** Prices of the two legs of an order, as written. */
export interface LegPrices {
  readonly tpLimit: string;
  readonly slTrigger: string;
}

/** A venue reports that it rejected an order but not why (§3), so this error lists the reasons that can be seen from outside. */
export async function orderRejected(
  venue: VenueAccess,
  order: WireOrder,
  tpsl?: LegPrices,
): Promise<TouchlineError> {
  const reasons = await reasonsOf(venue, order, tpsl).catch(() => []);
  return new TouchlineError(
    "ORDER_REJECTED",
    reasons.length === 0
      ? "The venue rejected the order without a reason."
      : `The venue rejected the order: ${reasons.join("; ")}.`,
    {
      context: { orderId: order.orderId },
      ...(reasons.length > 0
        ? {}
        : {
            hint: "A market order may have found no counterparty, or the balance was too low, or size or price break the venue's rules (docs/venue.md, §4.5).",
          }),
    },
  );
}

async function reasonsOf(
  venue: VenueAccess,
  order: WireOrder,
  tpsl: LegPrices | undefined,
): Promise<readonly string[]> {
  const { marketId, side, accountAddress } = order;
  const isBuy = side === "BUY";
  const price = fixed(order.price);
  const quantity = fixed(order.origQty);
  const reasons: string[] = [];
  const wire = (await venue.call(endpoints.market, {})).find((each) => each.marketId === marketId);
  if (wire === undefined) return [];
  const market = marketFrom(wire);
  if (!market.listed) reasons.push(`market ${market.ticker} is not active`);
  if (price > 0n && quantity > 0n) {
    const least = rulesOf(market).minSizeAt(fixedToNumber(price));
    if (quantity < least) reasons.push(`the smallest size at that price is ${fixedText(least)}`);
  }
  if (tpsl !== undefined && price > 0n) {
    const profitAt = fixed(tpsl.tpLimit);
    const lossAt = fixed(tpsl.slTrigger);
    const [low, high] = isBuy ? [lossAt, profitAt] : [profitAt, lossAt];
    if (!(low < price && price < high)) {
      const [profit, loss] = isBuy ? ["above", "below"] : ["below", "above"];
      reasons.push(
        `the take profit must be ${profit} the order's price and the stop loss ${loss} it`,
      );
    }
  }
  const paid = isBuy ? market.quoteToken : market.baseToken;
  const need: Fixed = isBuy
    ? order.orderMode === 1
      ? fixed(order.origQuoteOrderQty)
      : mulFixed(price > 0n ? price : fixed(order.triggerPrice ?? "0"), quantity)
    : quantity;
  const { balances } = await venue.call(endpoints.balance, { address: accountAddress });
  const free = fixed(balances.find(({ tokenId }) => tokenId === paid)?.unlocked ?? "0");
  if (free < need) {
    const symbol = symbolOf(await tokenSymbols(venue), paid);
    reasons.push(`it needs ${fixedText(need)} ${symbol}, but only ${fixedText(free)} is free`);
  }
  return reasons;
}
