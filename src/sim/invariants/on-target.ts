import { fixedToNumber, ZERO } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { Side } from "../../domain/side.ts";
import type { OrderRecord } from "../../exchange/records.ts";
import type { WantedQuotes } from "../decision-log.ts";
import type { Invariant } from "../invariant.ts";
import type { Oracle } from "../oracle.ts";
import { quotesRightMs } from "../troubles.ts";

const OFF_MS = 5_000;
/** What rounding to a lot may take off a size. */
const SIZE_SLACK = 0.001;

/**
 * From seconds after a trouble on, no own quote rests off every price and size that the strategies want, within their tolerance, for longer than five
 * seconds. Not judged where the risk ladder or an old source may move prices.
 */
export const onTarget: Invariant = {
  name: "on-target",
  watch(world) {
    const { scenario, oracle, recentlyWanted, limitedUntilMs, elapsedMs, isBotAlive } = world;
    const isJudged =
      Object.keys(scenario.triggers).length === 0 && scenario.sources?.whenOld !== "widen";
    const offSince = new Map<OrderId, { readonly price: number; readonly ms: number }>();
    return {
      runStarts: () => offSince.clear(),
      tick() {
        const nowMs = elapsedMs();
        const wanted = recentlyWanted();
        if (!isJudged || !isBotAlive() || wanted.length === 0) return undefined;
        const calmMs = Math.max(quotesRightMs(world), limitedUntilMs() + OFF_MS);
        const open = oracle.openAtVenue().filter(oracle.isQuote);
        const ids = new Set(open.map(({ orderId }) => orderId));
        for (const orderId of offSince.keys()) if (!ids.has(orderId)) offSince.delete(orderId);
        for (const order of open) {
          const { orderId } = order;
          const price = fixedToNumber(order.price);
          const known = offSince.get(orderId);
          if (isWanted(order, open, wanted, oracle)) offSince.delete(orderId);
          else if (known?.price !== price) offSince.set(orderId, { price, ms: nowMs });
          else if (nowMs >= calmMs) {
            const offMs = nowMs - known.ms;
            oracle.lasted("off its target", offMs);
            if (offMs <= OFF_MS) continue;
            offSince.set(orderId, { price, ms: nowMs });
            return `${orderId} (${order.side} at ${price}) has been off every wanted price and size for ${Math.round(offMs)} ms`;
          }
        }
        return undefined;
      },
    };
  },
};

/**
 * Bids are rounded down and asks up, and none is sent beyond the best price of the other side. The size is right alone, or together with a
 * partly filled order; a partly filled one may be smaller.
 */
function isWanted(
  order: OrderRecord,
  open: readonly OrderRecord[],
  decisions: readonly WantedQuotes[],
  oracle: Oracle,
): boolean {
  const { side } = order;
  const price = fixedToNumber(order.price);
  const rules = rulesOf(oracle.market);
  const slack = rules.tickAt(price) * 1.000_001;
  const isBid = side === "BUY";
  const isBegun = (one: OrderRecord): boolean => one.executedQty > ZERO;
  const sizes = [
    fixedToNumber(order.origQty),
    remaining(order),
    ...open
      .filter((other) => other !== order && other.side === side && isBegun(other))
      .map((other) => remaining(other) + remaining(order)),
  ];
  for (const {
    quotes,
    tolerance,
    fartherTolerance = tolerance,
    sizeTolerance,
    touch,
  } of decisions) {
    for (const wanted of quotes) {
      if (wanted.side !== side) continue;
      const size = fixedToNumber(wanted.size);
      const most = size * (sizeTolerance + SIZE_SLACK);
      const isSmaller = isBegun(order) && remaining(order) < size;
      if (!isSmaller && !sizes.some((one) => Math.abs(one - size) <= most)) continue;
      const out = isBid ? wanted.price - price : price - wanted.price;
      if (out >= -tolerance - slack / 1_000 && out <= fartherTolerance + slack) return true;
      for (const best of [
        touch[isBid ? "SELL" : "BUY"],
        othersBest(isBid ? "SELL" : "BUY", oracle),
      ]) {
        if (best === undefined || (isBid ? wanted.price < best : wanted.price > best)) continue;
        if (Math.abs(price - best) <= tolerance + 2 * slack) return true;
      }
    }
  }
  return false;
}

/** The best price of a side at the venue without own orders. */
function othersBest(side: Side, oracle: Oracle): number | undefined {
  const own = new Map<number, number>();
  for (const order of oracle.openAtVenue()) {
    if (order.side !== side) continue;
    const price = fixedToNumber(order.price);
    own.set(price, (own.get(price) ?? 0) + remaining(order));
  }
  const book = oracle.exchange.book(oracle.market.marketId, own.size + 1);
  for (const { price, quantity } of side === "BUY" ? book.bids : book.asks) {
    if (fixedToNumber(quantity) > (own.get(price) ?? 0) * 1.000_001) return price;
  }
  return undefined;
}

const remaining = ({ origQty, executedQty }: OrderRecord): number =>
  fixedToNumber(origQty) - fixedToNumber(executedQty);
