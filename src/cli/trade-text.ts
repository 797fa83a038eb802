import { fixedText } from "../domain/fixed.ts";
import { BY_HAND } from "../domain/order.ts";
import type { StrategyFill } from "../journal/entry.ts";
import type { AccountJournal } from "./account-journal.ts";
import { symbolOf } from "./token-of.ts";

/** The columns of a trade, in order. */
export const tradeColumns = [
  "time",
  "strategy",
  "market",
  "side",
  "price",
  "quantity",
  "fee",
  "feeToken",
  "liquidity",
  "tradeId",
  "orderId",
] as const;

/** A trade with exact amounts. `liquidity`: `maker`, `taker`, or `by hand`. */
export function tradeRow({
  strategy,
  fill,
}: StrategyFill): Readonly<Record<(typeof tradeColumns)[number], string>> {
  const { timeMs, marketId: market, side, price, quantity, fee, feeToken, tradeId, orderId } = fill;
  return {
    time: new Date(timeMs).toISOString(),
    strategy,
    market,
    side,
    price: fixedText(price),
    quantity: fixedText(quantity),
    fee: fixedText(fee),
    feeToken,
    liquidity: liquidityOf(fill),
    tradeId,
    orderId: orderId === BY_HAND ? "" : orderId,
  };
}

function liquidityOf({ orderId, isMaker }: StrategyFill["fill"]): string {
  if (orderId === BY_HAND) return BY_HAND;
  return isMaker ? "maker" : "taker";
}

/** One line for people. */
export function tradeText(
  trade: StrategyFill,
  { markets, symbols }: Pick<AccountJournal, "markets" | "symbols">,
): string {
  const { time, strategy, market, side, price, quantity, fee, feeToken, ...row } = tradeRow(trade);
  const ticker = markets.find(({ marketId }) => marketId === market)?.ticker ?? market;
  const paid = `fee ${fee} ${symbolOf(symbols, feeToken)}`;
  const reference = row.orderId === "" ? row.tradeId : row.orderId;
  return [
    time,
    strategy,
    ticker,
    side.padEnd(4),
    `${quantity} at ${price}`,
    paid,
    row.liquidity,
    reference,
  ]
    .join("  ")
    .trimEnd();
}
