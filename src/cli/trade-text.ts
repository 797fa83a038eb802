import { BY_HAND } from "../domain/order.ts";
import type { StrategyFill } from "../journal/entry.ts";
import { fillCells, fillColumns } from "../journal/journal-tables.ts";
import type { AccountJournal } from "./account-journal.ts";
import { symbolOf } from "./token-of.ts";

/** The columns of a trade, in order. */
export const tradeColumns = ["time", ...fillColumns, "liquidity", "tradeId", "orderId"] as const;

/** A trade with exact amounts. `liquidity`: `maker`, `taker`, or `by hand`. */
export function tradeRow(
  trade: StrategyFill,
): Readonly<Record<(typeof tradeColumns)[number], string>> {
  const { timeMs, tradeId, orderId } = trade.fill;
  return {
    time: new Date(timeMs).toISOString(),
    ...fillCells(trade),
    liquidity: liquidityOf(trade.fill),
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
