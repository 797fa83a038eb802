import { addFixed, type Fixed, fixedToNumber, subFixed, ZERO } from "../../domain/fixed.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { Fill } from "../../domain/order.ts";
import { isQuote } from "../../orders/bracket.ts";
import { type CarriedBaseline, type CarriedRisk, placeText } from "../../orders/carried.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { Measured } from "../../risk/measured.ts";
import type { ResumeOutlook, StepChange } from "../../risk/ladder.ts";
import { feeExcess } from "../fill-fee.ts";
import { measure, midsOf, newestMids, totalOf } from "./risk-measure.ts";
import {
  riskCodes,
  type RiskScope,
  type RiskState,
  standingOf,
  unmeasuredIn,
} from "./risk-state.ts";
import { type KernelState, venueNowMs } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";

/** The risk ladder in the kernel: when it is evaluated, and what a step sets off. */

/** The triggers are evaluated this often, and in every step with a fill, a reject or a fault. */
const EVALUATE_MS = 1_000;

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
  // An order of an earlier run may be of a market that the bot no longer trades.
  const market = state.markets.get(fill.marketId)?.market;
  const facts = {
    atMs: state.nowMs,
    sign: fill.side === "BUY" ? (1 as const) : (-1 as const),
    price,
    value: price * fixedToNumber(fill.quantity),
    isQuote: isQuote(order),
    isMaker: fill.isMaker,
    feeExcess: market === undefined ? undefined : feeExcess(market, fill),
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
    const isNew = scope.baseline.mark(totalOf(state, scope, mids), venueNowMs(state));
    const measured = measure(state, scope, mids);
    const changes = scope.ladder.evaluate(measured, nowMs);
    if (scope === risk.bot || scope.currency !== undefined)
      followUnmeasured(state, scope, measured);
    if (changes.length > 0) noteChanges(state, scope, changes);
    if (isNew || changes.length > 0) publish(state, scope);
  }
}

/**
 * A limit over several markets that cannot be measured bounds no loss in any of them, so quotes are pulled (docs/decisions/024).
 * `unmeasuredIn` first waits for the mids of a start.
 */
function followUnmeasured(state: KernelState, scope: RiskScope, measured: Measured): void {
  const { nowMs, risk } = state;
  const origin = scope.ladder.unmeasured(measured);
  if (origin === undefined) {
    scope.unmeasured = undefined;
    return;
  }
  const { markets } = scope.baseline;
  const without = markets.filter((marketId) => risk?.mids.has(marketId) !== true).join(", ");
  const reason = `the ${origin} cannot be measured without a mid of ${without}, and there was none in this run`;
  scope.unmeasured = { sinceMs: scope.unmeasured?.sinceMs ?? nowMs, reason };
  if (scope.isUnmeasuredNoted || unmeasuredIn(scope, nowMs) === undefined) return;
  scope.isUnmeasuredNoted = true;
  const who =
    scope.strategy === undefined ? "nothing is quoted" : `${scope.strategy} quotes nothing`;
  const message = `${who} in any market: ${reason}`;
  state.notes.push({ type: "warning", code: "RISK_NOT_MEASURED", message });
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
    scope.baseline.mark(totalOf(state, scope, mids), venueNowMs(state));
    if (force) {
      scope.baseline.rebase(venueNowMs(state));
      scope.meter.clear();
      if (scope === risk.bot) risk.forgivenDrift = new Map(state.ledger?.total);
    }
    noteChanges(state, scope, scope.ladder.resume(measure(state, scope, mids), nowMs, force));
    publish(state, scope);
  }
  risk.isDue = true;
}

/** What a resume, or one by force, would do to each trigger of the scopes that are not at `normal`. */
export function riskOutlook(
  state: KernelState,
  strategy: string | undefined,
  force: boolean,
): readonly ResumeOutlook[] {
  const { risk } = state;
  if (risk === undefined) return [];
  const mids = newestMids(risk, midsOf(state));
  return chosen(risk, strategy).flatMap((scope) =>
    scope.ladder.standing.step === "normal"
      ? []
      : scope.ladder.outlook(measure(state, scope, mids), force),
  );
}

/** Continues with the steps and the starts of losses that an earlier run left. */
export function restoreRisk(state: KernelState, { strategy, rungs, baseline }: CarriedRisk): void {
  const { risk, derived } = state;
  if (risk === undefined) return;
  const scope = strategy === undefined ? risk.bot : risk.byStrategy.get(strategy);
  if (scope === undefined) return;
  const isHeld = rungs.some(({ trigger }) => trigger === "dayLoss");
  const place = { limit: "dayLoss", ...(strategy === undefined ? {} : { strategy }) } as const;
  // The earlier run derived its loss stop without the mid of some market, and left the limit to this run.
  const isDerivedLater = isHeld && derived?.missing.has(placeText(place)) === true;
  if (isDerivedLater) scope.ladder.expect("dayLoss", "halt");
  scope.ladder.restore(rungs);
  if (baseline !== undefined) restoreBaseline(state, scope, baseline);
  risk.isDue = true;
}

/** Continues with the earlier count. Call after the positions are restored. */
function restoreBaseline(state: KernelState, scope: RiskScope, carried: CarriedBaseline): void {
  const { markets, currency } = scope.baseline;
  const isSame = carried.currency === currency;
  if (isSame && carried.markets.join() === markets.join()) {
    scope.baseline.restore(carried);
    return;
  }
  if (scope.strategy !== undefined) return;
  const anew = (cause: string): void => {
    const message = `day loss and drawdown of the bot are counted from now on, since ${cause}`;
    state.notes.push({ type: "warning", code: "LOSS_COUNTED_ANEW", message });
  };
  if (!isSame) return anew("they count in another currency than in the run before");
  const differs = (marketId: MarketId): boolean =>
    markets.includes(marketId) !== carried.markets.includes(marketId);
  let change: Fixed = ZERO;
  for (const { position } of state.positions.all()) {
    const { base, quote, market } = position;
    if (!differs(market.marketId)) continue;
    // What was earned in another token has no value in the currency without a mid.
    const isUnknown = quote !== ZERO && market.quoteToken !== (currency ?? market.quoteToken);
    if (base !== ZERO || isUnknown) {
      return anew(
        `its markets changed from ${carried.markets.join(", ")} to ${markets.join(", ")} and a position in ${market.marketId} is open, whose earlier value is not known`,
      );
    }
    const isAdded = markets.includes(market.marketId);
    change = isAdded ? addFixed(change, quote) : subFixed(change, quote);
  }
  scope.baseline.restore(carried, change);
  // The change counts once, whatever the positions become.
  publish(state, scope);
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

function publish({ step }: KernelState, { strategy, ladder, baseline }: RiskScope): void {
  const saved = baseline.saved();
  step.carried.push({
    type: "risk",
    ...(strategy === undefined ? {} : { strategy }),
    rungs: ladder.saved(),
    ...(saved === undefined ? {} : { baseline: saved }),
  });
}

/** Notes every strategy whose standing has changed, and lets it decide anew. */
export function noteStandings(state: KernelState): void {
  for (const runner of state.runners) {
    const { step = "normal", text: reason = "" } = standingOf(state, { runner }) ?? {};
    if (runner.riskStep === step) continue;
    runner.riskStep = step;
    runner.needsDecision = true;
    state.notes.push({ type: "riskStanding", strategy: runner.name, step, reason });
  }
}
