/** Take profit and stop loss attached to a limit order (§4.4), legal prices in quote token (§4.5). */
export interface Tpsl {
  /** Limit price of the take profit. */
  readonly tpLimit: number;
  /** Price at which the stop loss fires. */
  readonly slTrigger: number;
  /** Limit price of the stop loss; undefined for a market order. */
  readonly slLimit: number | undefined;
}
