import {
  absFixed,
  addFixed,
  type Fixed,
  fixedFromNumber,
  fixedToNumber,
  maxFixed,
  mulRoundHalfUp,
  subFixed,
  ZERO,
} from "../domain/fixed.ts";
import type { MarketId, TokenId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import { isQuote } from "../orders/bracket.ts";
import type { CarriedRisk } from "../orders/carried.ts";
import type { Position } from "../orders/position.ts";
import type { TrackedOrder } from "../orders/tracked-order.ts";
import { liveQuantity } from "../risk/exposure.ts";
import type { StepChange } from "../risk/ladder.ts";
import type { Measured } from "../risk/measured.ts";
import { heldBy, positionIn } from "./risk-context.ts";
import { riskCodes, type RiskScope, type RiskState, standingOf } from "./risk-state.ts";
import { bookLessOwn, type KernelState, type MarketState, type StrategySlot } from "./state.ts";

/** The risk ladder in the kernel: what is measured, when, and what a step sets off. */

/** The triggers are evaluated this often, and in every step with a fill, a reject or a fault. */
const EVALUATE_MS = 1_000;
/** Decimals of a valuation; a mid has fewer than a price of the venue. */
const DECIMALS = 18;

/** A fill was booked. `slot` is undefined for an order of a strategy that is gone. */
export function riskFill(
  state: KernelState,
  slot: StrategySlot | undefined,
  order: TrackedOrder,
  fill: Fill,
): void {
  const { risk } = state;
  if (risk === undefined) return;
  risk.isDue = true;
  const price = fixedToNumber(fill.price);
  const facts = {
    atMs: state.nowMs,
    sign: fill.side === "BUY" ? (1 as const) : (-1 as const),
    price,
    value: price * fixedToNumber(fill.quantity),
    isQuote: isQuote(order),
    isMaker: fill.isMaker,
    feeExcess: feeExcess(state, fill),
  };
  for (const { meter } of scopesOf(risk, slot)) meter.fill(fill.marketId, facts);
}

/** The venue refused or rejected a placement. */
export function riskReject({ risk, nowMs }: KernelState, slot: StrategySlot | undefined): void {
  if (risk === undefined) return;
  risk.isDue = true;
  for (const { meter } of scopesOf(risk, slot)) meter.reject(nowMs);
}

/** The venue's clock was read. */
export function riskClock({ risk, nowMs }: KernelState, offsetMs: number): void {
  if (risk === undefined) return;
  risk.isDue = true;
  risk.bot.meter.clockOffset(nowMs, offsetMs);
}

/** Evaluates the triggers when something happened that they judge, and once a second. */
export function watchRisk(state: KernelState): void {
  const { risk, nowMs } = state;
  if (risk === undefined || (!risk.isDue && nowMs < nextRiskMs(state))) return;
  risk.isDue = false;
  // Before that books and orders are incomplete, and nothing is quoted; steps of an earlier run hold.
  if (state.phase === "running") {
    risk.nextMs = nowMs + EVALUATE_MS;
    evaluate(state, risk);
  }
  noteStandings(state);
}

function evaluate(state: KernelState, risk: RiskState): void {
  const { nowMs } = state;
  const now = midsOf(state);
  const mids = newestMids(risk, now);
  risk.mids = mids;
  for (const scope of allScopes(risk)) {
    scope.meter.advance(nowMs, (marketId) => now.get(marketId));
    const isNew = scope.baseline.mark(totalOf(state, scope, mids), nowMs);
    const changes = scope.ladder.evaluate(measure(state, scope, mids), nowMs);
    if (changes.length > 0) noteChanges(state, scope, changes);
    if (isNew || changes.length > 0) publish(state, scope);
  }
}

/** When `watchRisk` has to be called next, our clock; Infinity without triggers, and unless the bot runs. */
export function nextRiskMs({ risk, phase }: KernelState): number {
  return risk === undefined || phase !== "running" ? Number.POSITIVE_INFINITY : risk.nextMs;
}

/** An operator resumed: every step that the present values do not reach is left, with `force` after losses are counted anew. */
export function resumeRisk(state: KernelState, strategy: string | undefined, force: boolean): void {
  const { risk, nowMs } = state;
  if (risk === undefined) return;
  const mids = newestMids(risk, midsOf(state));
  risk.mids = mids;
  for (const scope of chosen(risk, strategy)) {
    scope.baseline.mark(totalOf(state, scope, mids), nowMs);
    if (force) {
      scope.baseline.rebase(nowMs);
      scope.meter.clear();
      if (scope === risk.bot) risk.forgivenDrift = new Map(state.ledger?.total);
    }
    noteChanges(state, scope, scope.ladder.resume(measure(state, scope, mids), nowMs, force));
    publish(state, scope);
  }
  risk.isDue = true;
}

/** Why a resume, or one by force, would change nothing: sentences of the triggers that would act at once; empty when none would. */
export function riskHolding(
  state: KernelState,
  strategy: string | undefined,
  force: boolean,
): readonly string[] {
  const { risk } = state;
  if (risk === undefined) return [];
  const mids = newestMids(risk, midsOf(state));
  return chosen(risk, strategy).flatMap((scope) =>
    scope.ladder.standing.step === "normal"
      ? []
      : scope.ladder.holding(measure(state, scope, mids), force),
  );
}

/** Continues with the steps and the starts of losses that an earlier run left. */
export function restoreRisk(
  { risk }: KernelState,
  { strategy, rungs, baseline }: CarriedRisk,
): void {
  if (risk === undefined) return;
  const scope = strategy === undefined ? risk.bot : risk.byStrategy.get(strategy);
  if (scope === undefined) return;
  scope.ladder.restore(rungs);
  if (baseline !== undefined) scope.baseline.restore(baseline);
  risk.isDue = true;
}

function allScopes({ bot, byStrategy }: RiskState): readonly RiskScope[] {
  return bot.ladder.isEmpty ? [...byStrategy.values()] : [bot, ...byStrategy.values()];
}

/** The bot's scope, and the slot's. */
function scopesOf(
  { bot, byStrategy }: RiskState,
  slot: StrategySlot | undefined,
): readonly RiskScope[] {
  const own = slot === undefined ? undefined : byStrategy.get(slot.runner.name);
  return own === undefined ? [bot] : [bot, own];
}

function chosen(risk: RiskState, strategy: string | undefined): readonly RiskScope[] {
  if (strategy === undefined) return allScopes(risk);
  const own = risk.byStrategy.get(strategy);
  return own === undefined ? [] : [own];
}

function noteChanges(
  state: KernelState,
  { strategy }: RiskScope,
  changes: readonly StepChange[],
): void {
  for (const { trigger, step, text } of changes) {
    const code = riskCodes[step];
    state.notes.push({ type: "risk", of: strategy, trigger, step, code, message: text });
  }
}

function publish({ carried }: KernelState, { strategy, ladder, baseline }: RiskScope): void {
  const saved = baseline.saved();
  carried.push({
    type: "risk",
    ...(strategy === undefined ? {} : { strategy }),
    rungs: ladder.saved(),
    ...(saved === undefined ? {} : { baseline: saved }),
  });
}

/** Notes every strategy whose standing has changed, and lets it decide anew. */
function noteStandings(state: KernelState): void {
  for (const slot of state.slots) {
    const { step = "normal", text: reason = "" } = standingOf(state, slot) ?? {};
    const { runner } = slot;
    if (runner.riskStep === step) continue;
    runner.riskStep = step;
    runner.needsDecision = true;
    state.notes.push({ type: "riskStanding", strategy: runner.name, step, reason });
  }
}

function midsOf(state: KernelState): ReadonlyMap<MarketId, number> {
  const mids = new Map<MarketId, number>();
  for (const [marketId, market] of state.markets) {
    const mid = bookLessOwn(state, market)?.mid;
    if (mid !== undefined) mids.set(marketId, mid);
  }
  return mids;
}

/** Without a mid of now the last one counts: a market without bids must not hide what is lost in another. */
function newestMids({ mids }: RiskState, now: Mids): Mids {
  return new Map([...mids, ...now]);
}

type Mids = ReadonlyMap<MarketId, number>;

/** The slots of a scope. */
function slotsOf(state: KernelState, { strategy }: RiskScope): readonly StrategySlot[] {
  if (strategy === undefined) return state.slots;
  return state.slots.filter(({ runner }) => runner.name === strategy);
}

/** Total PnL in quote token at the mids. The bot's includes strategies that are gone, in the markets that it still trades. */
function totalOf(state: KernelState, { strategy }: RiskScope, mids: Mids): Fixed | undefined {
  let sum: Fixed | undefined = ZERO;
  const add = (position: Position): void => {
    const total = totalPnlOf(position, mids.get(position.market.marketId));
    sum = sum === undefined || total === undefined ? undefined : addFixed(sum, total);
  };
  if (strategy !== undefined) {
    const slot = state.slotByName.get(strategy);
    if (slot !== undefined) add(slot.position);
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

function measure(state: KernelState, scope: RiskScope, mids: Mids): Measured {
  const { baseline, meter } = scope;
  const { nowMs } = state;
  const slots = slotsOf(state, scope);
  const markets = [...new Set(slots.map(({ runner }) => runner.binding.marketId))];
  const { count, oldestMs } = unknownOf(state, scope);
  return {
    position: sumOf(markets, (marketId) =>
      valueAt(netOf(state, scope, marketId), mids.get(marketId)),
    ),
    exposure: sumOf(markets, (marketId) =>
      valueAt(worstOf(state, scope, marketId), mids.get(marketId)),
    ),
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
    strategyFaults: slots.filter(({ runner }) => runner.fault !== undefined).length,
  };
}

/** Value of the balance drift of all tokens that the bot's markets trade. */
function driftOf({ ledger, markets, risk }: KernelState, mids: Mids): Fixed | undefined {
  if (ledger === undefined) return ZERO;
  let sum: Fixed = ZERO;
  const counted = new Set<TokenId>();
  for (const { market } of markets.values()) {
    for (const token of [market.quoteToken, market.baseToken]) {
      if (counted.has(token)) continue;
      counted.add(token);
      const forgiven = risk?.forgivenDrift.get(token) ?? ZERO;
      const drift = absFixed(subFixed(ledger.total.get(token) ?? ZERO, forgiven));
      const value = token === market.quoteToken ? drift : valueAt(drift, mids.get(market.marketId));
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
  const slot = strategy === undefined ? undefined : state.slotByName.get(strategy);
  return slot === undefined ? positionIn(state, marketId) : heldBy(state, slot);
}

/** The net position should every open order of the worse side be filled, as a positive amount. */
function worstOf(state: KernelState, scope: RiskScope, marketId: MarketId): Fixed {
  const net = netOf(state, scope, marketId);
  const orders = ordersOf(state, scope);
  const long = addFixed(net, liveQuantity(orders, marketId, "BUY"));
  const short = subFixed(net, liveQuantity(orders, marketId, "SELL"));
  return maxFixed(absFixed(long), absFixed(short));
}

function ordersOf({ orders }: KernelState, { strategy }: RiskScope): readonly TrackedOrder[] {
  const live = orders.live();
  return strategy === undefined ? live : live.filter((order) => order.strategy === strategy);
}

function unknownOf(
  state: KernelState,
  scope: RiskScope,
): { readonly count: number; readonly oldestMs: number } {
  let count = 0;
  let oldestMs = 0;
  for (const { phase, madeAtMs, requestEndedAtMs } of ordersOf(state, scope)) {
    if (phase !== "unknown") continue;
    count += 1;
    oldestMs = Math.max(oldestMs, state.nowMs - (requestEndedAtMs ?? madeAtMs));
  }
  return { count, oldestMs };
}

/** For how long the data of a market have not been usable or live. */
function staleMsOf({ nowMs, lastMessageMs }: KernelState, market: MarketState | undefined): number {
  const behindSinceMs = market?.channels?.depth.behindSinceMs ?? Number.POSITIVE_INFINITY;
  const sinceMs = Math.min(market?.blindSinceMs ?? nowMs, behindSinceMs, lastMessageMs);
  return Math.max(0, nowMs - sinceMs);
}

/** By how much a fee was higher than the market's rate, as a share of what was received (D18). */
function feeExcess(state: KernelState, fill: Fill): number | undefined {
  // An order of an earlier run may be of a market that the bot no longer trades.
  const market = state.markets.get(fill.marketId)?.market;
  if (market === undefined) return undefined;
  const { makerFee, takerFee, baseToken, quoteToken } = market;
  const quantity = fixedToNumber(fill.quantity);
  const received =
    fill.feeToken === baseToken
      ? quantity
      : fill.feeToken === quoteToken
        ? quantity * fixedToNumber(fill.price)
        : undefined;
  if (received === undefined || received === 0) return undefined;
  const rate = fixedToNumber(fill.isMaker ? makerFee : takerFee);
  return fixedToNumber(fill.fee) / received - rate;
}
