/**
 * Take profit and stop loss of a quote, prices in quote token: for a bid `takeProfit` lies above its price and `stopLoss` below
 * it, for an ask the other way round. The venue places both when the quote is filled whole. When the quote is canceled before
 * that, both are gone, and what it has filled has no exits (§4.4, D25).
 */
export interface WantedTpsl {
  /** Price of a limit order that rests. */
  readonly takeProfit: number;
  /** A trade at this price, or beyond it, fires the stop loss. */
  readonly stopLoss: number;
  /** Limit price of the stop loss; left out, it is a market order. */
  readonly stopLimit?: number;
}
