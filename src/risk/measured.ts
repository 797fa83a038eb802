import { type Fixed, ZERO } from "../domain/fixed.ts";

/** Most rejects, fills and readings of the clock that are remembered; the oldest are dropped first. */
export const MAX_REMEMBERED = 10_000;

/** A fill of the bot, for the triggers that judge fills. */
export interface MeasuredFill {
  readonly atMs: number;
  /** +1 for a buy, -1 for a sale. */
  readonly sign: 1 | -1;
  readonly price: number;
  /** Price × quantity in quote token, above 0. */
  readonly value: number;
  /** The fill of a quote, which is meant to rest: stop orders and legs may take. */
  readonly isQuote: boolean;
  readonly isMaker: boolean;
  /** Fee paid beyond the market's rate, as a share of what was received; undefined when it was paid in a third token. */
  readonly feeExcess: number | undefined;
  /** The mid of its market some time later (`after` of the trigger); undefined until then. */
  readonly midLater: number | undefined;
}

/** The numbers of one strategy, or of the whole bot, at one moment. Amounts are in quote token, PnL is after fees. */
export interface Measured {
  /** Value of the net position at the mid, long or short, summed over markets. Undefined without a mid. */
  readonly position: Fixed | undefined;
  /** As `position`, should every order of the worse side of each market be filled. */
  readonly exposure: Fixed | undefined;
  /** Change of total PnL since the session began, since the UTC day began, and its fall below the highest so far. */
  readonly sessionPnl: Fixed | undefined;
  readonly dayPnl: Fixed | undefined;
  readonly drawdown: Fixed | undefined;
  /**
   * Value of what the balances have changed by without an explanation, each token's net change added up as a positive amount. Undefined
   * without a mid.
   */
  readonly balanceDrift: Fixed | undefined;
  /** Refused and rejected placements of the last `windowMs`. */
  rejects(windowMs: number): number;
  /** Fills of the last `windowMs`, oldest first. */
  fills(windowMs: number): readonly MeasuredFill[];
  /** For how long the data of the oldest market have not been usable or live; 0 while they are. */
  readonly staleMs: number;
  /** Distance between the largest and the smallest offset of the venue's clock in the last `windowMs`. */
  clockChangeMs(windowMs: number): number;
  /** Orders whose outcome is unknown, and for how long the oldest has been. */
  readonly unknownOrders: number;
  readonly unknownMs: number;
  /** Strategies that have failed. */
  readonly strategyFaults: number;
}

/** The numbers after a resume by force: losses and what happened are counted from there, facts of the moment stay. */
export function countedAnew(measured: Measured): Measured {
  return {
    ...measured,
    sessionPnl: ZERO,
    dayPnl: ZERO,
    drawdown: ZERO,
    balanceDrift: ZERO,
    rejects: () => 0,
    fills: () => [],
    clockChangeMs: () => 0,
  };
}
