import {
  absFixed,
  addFixed,
  type Fixed,
  fixedFromNumber,
  maxFixed,
  mulRoundHalfUp,
  subFixed,
  ZERO,
} from "../../domain/fixed.ts";
import { fixedOf } from "../../domain/decimal.ts";
import { type MarketId, type TokenId, tokensOf } from "../../domain/ids.ts";
import type { Position } from "../../orders/position.ts";
import { liveQuantity } from "../../risk/exposure.ts";
import type { Measured } from "../../risk/measured.ts";
import { heldBy, positionIn } from "./risk-context.ts";
import type { RiskScope, RiskState } from "./risk-state.ts";
import { bookLessOwn, type MarketState } from "../market-state.ts";
import { slotOf, slotsOf } from "../slots.ts";
import type { KernelState } from "../state.ts";

/** What the triggers of the risk ladder judge, of one strategy or of the whole bot. */

/** Decimals of a valuation; a mid has fewer than a price of the venue. */
const DECIMALS = 18;

type Mids = ReadonlyMap<MarketId, number>;

/** Mids of the books without own orders; markets without one are left out. */
export function midsOf(state: KernelState): ReadonlyMap<MarketId, number> {
  const mids = new Map<MarketId, number>();
  for (const [marketId, market] of state.markets) {
    const mid = bookLessOwn(state, market)?.mid;
    if (mid !== undefined) mids.set(marketId, mid);
  }
  return mids;
}

/** Without a current mid the last one counts: a market without bids must not hide what is lost in another. */
export function newestMids({ mids }: RiskState, now: Mids): Mids {
  return new Map([...mids, ...now]);
}

/** An amount of a token in the currency of a scope; undefined without a mid that the conversion needs. */
function counted(
  { currency }: Pick<RiskScope, "currency">,
  amount: Fixed | undefined,
  token: TokenId,
  mids: Mids,
): Fixed | undefined {
  if (currency === undefined || amount === ZERO || token === currency.token) return amount;
  const rate = currency.rate(token, (marketId) => mids.get(marketId));
  if (amount === undefined || rate === undefined) return undefined;
  return mulRoundHalfUp(amount, fixedOf(rate), DECIMALS);
}

/** Total PnL at the mids, in the currency of the scope. The bot's includes strategies that are gone, in the markets that it still trades. */
export function totalOf(state: KernelState, scope: RiskScope, mids: Mids): Fixed | undefined {
  const { strategy } = scope;
  let sum: Fixed | undefined = ZERO;
  const add = (position: Position): void => {
    const { marketId, quoteToken } = position.market;
    const total = counted(scope, totalPnlOf(position, mids.get(marketId)), quoteToken, mids);
    sum = sum === undefined || total === undefined ? undefined : addFixed(sum, total);
  };
  if (strategy !== undefined) {
    for (const { position } of slotsOf(state, strategy)) add(position);
    return sum;
  }
  for (const { position } of state.positions.all()) {
    if (state.markets.has(position.market.marketId)) add(position);
  }
  return sum;
}

/** Q + B · mid, as `Position.totalPnl`, at 18 decimals; undefined for an open position without a mid. */
function totalPnlOf({ base, quote }: Position, mid: number | undefined): Fixed | undefined {
  if (base === ZERO) return quote;
  return mid === undefined ? undefined : addFixed(quote, valueOf(base, mid));
}

function valueOf(base: Fixed, mid: number): Fixed {
  return mulRoundHalfUp(base, fixedFromNumber(mid), DECIMALS);
}

export function measure(state: KernelState, scope: RiskScope, mids: Mids): Measured {
  const { baseline, meter } = scope;
  const { nowMs } = state;
  const slots = slotsOf(state, scope.strategy);
  const markets = [...new Set(slots.map(({ marketId }) => marketId))];
  const { count, oldestMs } = unknownOf(state, scope);
  const valued = (base: Fixed, marketId: MarketId): Fixed | undefined => {
    const value = valueAt(base, mids.get(marketId));
    return counted(scope, value, tokensOf(marketId).quote, mids);
  };
  return {
    position: sumOf(markets, (marketId) => valued(netOf(state, scope, marketId), marketId)),
    exposure: sumOf(markets, (marketId) => valued(worstOf(state, scope, marketId), marketId)),
    sessionPnl: baseline.sessionPnl,
    dayPnl: baseline.dayPnl,
    drawdown: baseline.drawdown,
    balanceDrift: driftOf(state, mids),
    rejects: (windowMs) => meter.rejects(nowMs, windowMs),
    fills: (windowMs) => meter.fills(nowMs, windowMs),
    staleMs: Math.max(
      0,
      ...markets.map((marketId) => staleMsOf(state, state.markets.get(marketId))),
    ),
    clockChangeMs: (windowMs) => meter.clockChangeMs(nowMs, windowMs),
    unknownOrders: count,
    unknownMs: oldestMs,
    strategyFaults: new Set(slots.flatMap(({ runner }) => runner.fault ?? [])).size,
  };
}

/** Value of the balance drift of all tokens that the bot's markets trade. */
function driftOf(state: KernelState, mids: Mids): Fixed | undefined {
  const { ledger, markets, risk } = state;
  if (ledger === undefined || risk === undefined) return ZERO;
  let sum: Fixed = ZERO;
  const seen = new Set<TokenId>();
  for (const { market } of markets.values()) {
    for (const token of [market.quoteToken, market.baseToken]) {
      if (seen.has(token)) continue;
      seen.add(token);
      const forgiven = risk.forgivenDrift.get(token) ?? ZERO;
      const drift = absFixed(subFixed(ledger.total.get(token) ?? ZERO, forgiven));
      const value = counted(risk.bot, drift, token, mids);
      if (value === undefined) return undefined;
      sum = addFixed(sum, value);
    }
  }
  return sum;
}

function sumOf(
  markets: readonly MarketId[],
  of: (marketId: MarketId) => Fixed | undefined,
): Fixed | undefined {
  let sum: Fixed = ZERO;
  for (const marketId of markets) {
    const part = of(marketId);
    if (part === undefined) return undefined;
    sum = addFixed(sum, part);
  }
  return sum;
}

function valueAt(base: Fixed, mid: number | undefined): Fixed | undefined {
  if (base === ZERO) return ZERO;
  return mid === undefined ? undefined : valueOf(absFixed(base), mid);
}

function netOf(state: KernelState, { strategy }: RiskScope, marketId: MarketId): Fixed {
  const slot = strategy === undefined ? undefined : slotOf(state, { strategy, marketId });
  return slot === undefined ? positionIn(state, marketId) : heldBy(state, slot);
}

/** The net position should every open order of the worse side be filled, as a positive amount. */
function worstOf(state: KernelState, scope: RiskScope, marketId: MarketId): Fixed {
  const net = netOf(state, scope, marketId);
  const orders = state.orders.live(scope.strategy);
  const long = addFixed(net, liveQuantity(orders, marketId, "BUY"));
  const short = subFixed(net, liveQuantity(orders, marketId, "SELL"));
  return maxFixed(absFixed(long), absFixed(short));
}

function unknownOf(
  { orders, nowMs }: KernelState,
  { strategy }: RiskScope,
): { readonly count: number; readonly oldestMs: number } {
  let count = 0;
  let oldestMs = 0;
  for (const { phase, madeAtMs, requestEndedAtMs } of orders.live(strategy)) {
    if (phase !== "unknown") continue;
    count += 1;
    oldestMs = Math.max(oldestMs, nowMs - (requestEndedAtMs ?? madeAtMs));
  }
  return { count, oldestMs };
}

/** For how long the data of a market have not been usable or have been suspect. */
function staleMsOf({ nowMs, lastMessageMs }: KernelState, market: MarketState | undefined): number {
  const suspectMs = market?.book.fresh.suspectMs ?? nowMs;
  const sinceMs = Math.min(market?.blindSinceMs ?? nowMs, suspectMs, lastMessageMs);
  return Math.max(0, nowMs - sinceMs);
}
