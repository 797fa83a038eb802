import { rulesOf } from "../../domain/rules-of.ts";
import { opposite } from "../../domain/side.ts";
import { guardedPrice } from "../../execution/maker-guard.ts";
import { plan, type Plan } from "../../execution/planner.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { BookView } from "../../strategy/view.ts";
import { contingentOf, marketOfSlot, quotesOf } from "../slots.ts";
import { bookLessOwn, type StrategySlot, type KernelState, type MarketState } from "../state.ts";
import { newestTouch } from "../newest-touch.ts";
import { followDemand, watchWaits } from "../rate.ts";
import { mayModify, usesModifies } from "../orders/modifies.ts";
import { makeView } from "./strategy-view.ts";
import { restrictTargets } from "../risk/restrict-targets.ts";
import { quoteModeOf, standingOf } from "../risk/risk-state.ts";
import { type TargetQuote, withoutPiles } from "../targets.ts";
import { isObserving } from "../watch-others.ts";
import { quotePullReason } from "../risk/quote-pull.ts";

/** Calls each strategy that has something new or is due, once, and plans the fewest changes towards its targets. */
export function decide(state: KernelState): void {
  for (const slot of state.slots) {
    const { runner } = slot;
    const market = marketOfSlot(state, slot);
    if (quotePullReason(state, slot) !== undefined) {
      runner.pull();
      runner.plan = pullAll(state, slot);
      continue;
    }
    followQuoteMode(state, slot);
    const mayDecide = state.phase === "running" && !isObserving(market);
    const book = mayDecide ? bookLessOwn(state, market) : undefined;
    const isDue = runner.isPulled || runner.isDue(state.nowMs);
    // Without a book the strategy is not called and nothing new is sent; orders that fit stay, and the cancels of others go on.
    if (book === undefined && runner.needsPlan && runner.hasDecided) planSlot(state, slot, book);
    if (book === undefined || !(isDue || runner.needsPlan)) continue;
    const earlierMs = runner.decidedMs;
    const isNew = isDue && decideSlot(state, slot, market, book);
    if (isNew) watchWaits(state, slot, earlierMs);
    if (runner.fault !== undefined) {
      state.notes.push({ type: "strategyFault", strategy: runner.name, ...runner.fault });
      runner.plan = pullAll(state, slot);
    } else if (isNew || runner.isPulled || runner.needsPlan) {
      if (isNew) restrictTargets(state, slot, book);
      // Without new targets after a pull there are none: orders that could not be canceled in time are canceled now.
      planSlot(state, slot, book);
      if (isNew) followDemand(state, slot, earlierMs);
    }
    runner.isPulled = false;
    runner.needsPlan = false;
  }
}

/** When the risk ladder begins or ends to restrict quotes, all of them are set anew. */
function followQuoteMode(state: KernelState, slot: StrategySlot): void {
  const { runner } = slot;
  const mode = quoteModeOf(state, slot);
  if (mode === runner.quoteMode) return;
  runner.quoteMode = mode;
  runner.outdatedTo = state.lastIntent;
  runner.pull();
  // Without a book no decision follows in this step.
  runner.plan = pullAll(state, slot);
}

function decideSlot(
  state: KernelState,
  slot: StrategySlot,
  market: MarketState,
  book: BookView,
): boolean {
  const { runner, position } = slot;
  return runner.decide(
    makeView({
      nowMs: state.nowMs,
      market: market.market,
      book,
      runner,
      quotes: quotesOf(state, slot),
      contingent: contingentOf(state, slot),
      live: state.orders.live(),
      position,
      balances: state.balances,
      risk: standingOf(state, slot),
    }),
  );
}

function planSlot(state: KernelState, slot: StrategySlot, book: BookView | undefined): void {
  const { runner } = slot;
  if (book !== undefined) {
    runner.plannedMid = book.mid ?? 0;
    const quotes = guardTouch(marketOfSlot(state, slot), runner.targets.quotes, book);
    runner.targets = { ...runner.targets, quotes };
  }
  const { quotes, tolerance, sizeTolerance, drop } = runner.targets;
  const orders = quotesOf(state, slot);
  // Neither a tolerance nor a name keeps an order that the risk ladder has not restricted.
  const outdated = outdatedOf(orders, runner.outdatedTo);
  const { bids, asks } = bySide(quotes);
  const made = plan({
    bids,
    asks,
    tolerance,
    sizeTolerance,
    drop: outdated.length === 0 ? drop : [...drop, ...outdated],
    mid: runner.plannedMid,
    orders,
    ...(book !== undefined && usesModifies(state) ? { mayModify } : {}),
  });
  for (const { quote } of made.keep) quote.placed = true;
  if (made.keep.length > 0) {
    state.notes.push({ type: "kept", strategy: runner.name, count: made.keep.length });
  }
  runner.plan = made;
}

function outdatedOf(orders: readonly TrackedOrder[], outdatedTo: number): readonly number[] {
  if (outdatedTo === Number.NEGATIVE_INFINITY) return [];
  return orders.flatMap(({ intent }) => (intent <= outdatedTo ? [intent] : []));
}

function bySide(quotes: readonly TargetQuote[]): Record<"bids" | "asks", TargetQuote[]> {
  const bids: TargetQuote[] = [];
  const asks: TargetQuote[] = [];
  for (const quote of quotes) (quote.side === "BUY" ? bids : asks).push(quote);
  return { bids, asks };
}

/**
 * Moves the quotes inside the opposite touch, so that the plan uses the prices that will be sent. Of several levels that would move to
 * one price the first is left; none, when a level was wanted there already. A quote of a named order places nothing, so it stays.
 */
function guardTouch(
  market: MarketState,
  quotes: readonly TargetQuote[],
  book: BookView,
): readonly TargetQuote[] {
  const rules = rulesOf(market.market);
  const moved = new Set<TargetQuote>();
  const touch = {
    BUY: newestTouch(market, book, "BUY"),
    SELL: newestTouch(market, book, "SELL"),
  };
  for (const target of quotes) {
    if (target.order !== undefined) continue;
    const { side } = target;
    const price = guardedPrice(rules, side, target.price, touch[opposite(side)]);
    if (price === undefined) target.placed = true;
    else if (price !== target.price) {
      target.price = price;
      moved.add(target);
    }
  }
  return withoutPiles(quotes, moved);
}

/** A plan that cancels every quote of the slot. */
function pullAll(state: KernelState, slot: StrategySlot): Plan<TargetQuote> {
  return plan<TargetQuote>({
    bids: [],
    asks: [],
    tolerance: 0,
    sizeTolerance: 0,
    mid: 0,
    orders: quotesOf(state, slot),
  });
}
