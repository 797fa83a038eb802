import { assert } from "../base/assert.ts";
import { Decimal, decimalOf } from "../domain/decimal.ts";
import {
  addFixed,
  fixed,
  fixedText,
  mulFixed,
  negFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { tokenId, type TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";

/** The part of a market that its positions need. */
type PositionMarket = Pick<Market, "marketId" | "baseToken" | "quoteToken">;

/** A position as plain data, amounts as decimal text: the sums B, Q and C of `Position`, and the fees by token id. */
export interface SavedPosition {
  readonly base: string;
  readonly quote: string;
  readonly cost: string;
  readonly fees: Readonly<Record<string, string>>;
}

/**
 * One strategy's position in one market, from its own fills only and from what earlier runs left. No other code computes PnL.
 *
 * A fill of quantity q at price p with fee f changes base and quote exactly by (D18: the fee is charged in the token received, but a
 * fee in either token is handled):
 *
 *   Δb = ±q − (f if paid in base)        + for a buy, − for a sell
 *   Δq = ∓p·q − (f if paid in quote)
 *
 * so a fee in base raises the average cost of the base held, and a fee in quote raises the cost or lowers the proceeds. With B and Q
 * the sums of Δb and Δq, the open base B has the signed cost C (what was paid for a long, minus what was received for a short):
 *
 *   opening or adding (B = 0, or Δb and B of one sign)   C ← C − Δq
 *   reducing (|Δb| ≤ |B|)                                C ← C · (B + Δb) / B
 *   crossing zero (|Δb| > |B|)                           C ← −Δq · (B + Δb) / Δb      the newly opened part
 *
 *   average price = C / B        realised = Q + C        unrealised(mid) = B · mid − C
 *
 * Both are in quote token after fees. Their sum is Q + B·mid for any C, so rounding in the average (60 digits) only moves money between
 * the two. A fee in a third token, which simulated venues may have, is kept in `fees` but not in PnL,
 * since its price is not known here.
 */
export class Position {
  readonly market: PositionMarket;
  #base: Fixed = ZERO;
  #quote: Fixed = ZERO;
  #cost: Decimal = new Decimal(0);
  #realised: Decimal | undefined;
  readonly #fees = new Map<TokenId, Fixed>();

  constructor(market: PositionMarket) {
    this.market = market;
  }

  /** Replaces everything by a saved position of the same market. */
  restore({ base, quote, cost, fees }: SavedPosition): void {
    this.#base = fixed(base);
    this.#quote = fixed(quote);
    this.#cost = new Decimal(cost);
    this.#realised = undefined;
    this.#fees.clear();
    for (const [token, fee] of Object.entries(fees)) this.#fees.set(tokenId(token), fixed(fee));
  }

  saved(): SavedPosition {
    return {
      base: fixedText(this.#base),
      quote: fixedText(this.#quote),
      cost: this.#cost.toFixed(),
      fees: Object.fromEntries([...this.#fees].map(([token, fee]) => [token, fixedText(fee)])),
    };
  }

  /** Change of base token through own fills, net of fees. */
  get base(): Fixed {
    return this.#base;
  }

  /** Change of quote token through own fills, net of fees. */
  get quote(): Fixed {
    return this.#quote;
  }

  /** Fees paid so far, by token. */
  get fees(): ReadonlyMap<TokenId, Fixed> {
    return this.#fees;
  }

  /** Average entry price of the open position, quote per base; undefined when flat. */
  get averagePrice(): Decimal | undefined {
    return this.#base === ZERO ? undefined : this.#cost.div(decimalOf(this.#base));
  }

  get realisedPnl(): Decimal {
    this.#realised ??= decimalOf(this.#quote).plus(this.#cost);
    return this.#realised;
  }

  unrealisedPnl(mid: Decimal): Decimal {
    return decimalOf(this.#base).times(mid).minus(this.#cost);
  }

  /** Unrealised PnL at a mid that may be unknown; 0 when flat, undefined when a position is open without a mid. */
  unrealisedAt(mid: number | undefined): Decimal | undefined {
    if (this.#base === ZERO) return new Decimal(0);
    return mid === undefined ? undefined : this.unrealisedPnl(new Decimal(mid));
  }

  /** Total PnL at a mid that may be unknown; undefined when a position is open without a mid. */
  totalAt(mid: number | undefined): Decimal | undefined {
    if (this.#base === ZERO) return decimalOf(this.#quote);
    return mid === undefined ? undefined : this.totalPnl(new Decimal(mid));
  }

  /** Realised plus unrealised PnL in quote token, after fees: exactly Q + B · mid. */
  totalPnl(mid: Decimal): Decimal {
    return decimalOf(this.#quote).plus(decimalOf(this.#base).times(mid));
  }

  /** Books one fill. The caller ensures that each comes once (see FillLedger). */
  apply(fill: Fill): void {
    const { marketId, baseToken, quoteToken } = this.market;
    assert(fill.marketId === marketId, "a fill of this market");
    const paid = mulFixed(fill.price, fill.quantity);
    const baseChange = baseChangeOf(fill, baseToken);
    let quoteChange = fill.side === "BUY" ? negFixed(paid) : paid;
    if (fill.feeToken === quoteToken) quoteChange = subFixed(quoteChange, fill.fee);
    if (fill.fee !== ZERO) {
      this.#fees.set(fill.feeToken, addFixed(this.#fees.get(fill.feeToken) ?? ZERO, fill.fee));
    }

    const before = this.#base;
    const after = addFixed(before, baseChange);
    this.#cost = costAfter(this.#cost, before, after, quoteChange);
    this.#base = after;
    this.#quote = addFixed(this.#quote, quoteChange);
    this.#realised = undefined;
  }
}

/** The base bought (negative: sold) by a fill, less a fee in base. */
function baseChangeOf({ side, quantity, fee, feeToken }: Fill, baseToken: TokenId): Fixed {
  const change = side === "BUY" ? quantity : negFixed(quantity);
  return feeToken === baseToken ? subFixed(change, fee) : change;
}

function costAfter(cost: Decimal, before: Fixed, after: Fixed, quoteChange: Fixed): Decimal {
  const baseChange = subFixed(after, before);
  if (baseChange === ZERO) return cost;
  if (after === ZERO) return new Decimal(0);
  const opens = before === ZERO || before > ZERO === baseChange > ZERO;
  if (opens) return cost.minus(decimalOf(quoteChange));
  const crosses = before > ZERO !== after > ZERO;
  return crosses
    ? decimalOf(quoteChange).neg().times(decimalOf(after)).div(decimalOf(baseChange))
    : cost.times(decimalOf(after)).div(decimalOf(before));
}
