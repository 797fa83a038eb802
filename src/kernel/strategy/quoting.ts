import { rulesOf } from "../../domain/rules-of.ts";
import { opposite } from "../../domain/side.ts";
import { guardedPrice } from "../../execution/maker-guard.ts";
import { plan, type Plan } from "../../execution/planner.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { BookView } from "../../strategy/view.ts";
import { quotesOf, slotsOf } from "../slots.ts";
import { bookLessOwn, type MarketState } from "../market-state.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "./strategy-slot.ts";
import { newestTouch } from "../newest-touch.ts";
import { followDemand, watchWaits } from "../rate.ts";
import { mayModify, usesModifies } from "../orders/modifies.ts";
import { makeView } from "./strategy-view.ts";
import type { StrategyRunner } from "./strategy-runner.ts";
import { restrictTargets } from "../risk/restrict-targets.ts";
import { quoteModeOf } from "../risk/quote-mode.ts";
import { type TargetQuote, withoutPiles } from "../targets.ts";
import { isObserving } from "../watch-others.ts";
import { quotePullReason } from "../risk/quote-pull.ts";

/** Calls each strategy that has something new or is due, once, and plans the fewest changes towards its targets. */
export function decide(state: KernelState): void {
  for (const runner of state.runners) {
    const slots = slotsOf(state, runner.name);
    let isDue = runner.isDue(state.nowMs);
    let isOpen = false;
    for (const slot of slots) {
      slot.openBook = openBook(state, slot);
      if (slot.openBook === undefined) continue;
      isOpen = true;
      isDue ||= slot.pulledNow || slot.decidedWithoutBook;
    }
    if (!isOpen) continue;
    if (isDue) {
      runner.decide(makeView(state, slots), slots);
      if (runner.fault !== undefined) failSlots(state, slots, runner.fault);
    }
    for (const slot of slots) {
      if (slot.openBook !== undefined && (isDue || slot.needsPlan)) followDecision(state, slot);
    }
  }
}

/** The book that quotes may be set by. Without one they are pulled, or what is left of the plan goes on. */
function openBook(state: KernelState, slot: StrategySlot): BookView | undefined {
  slot.pullReason = quotePullReason(state, slot);
  if (slot.pullReason !== undefined) {
    slot.pull();
    slot.plan = pullAll(state, slot);
    return undefined;
  }
  followQuoteMode(state, slot);
  const mayDecide =
    state.phase === "running" && !isObserving(slot.market) && !slot.runner.awaitsHistory;
  const book = mayDecide ? bookLessOwn(state, slot.market) : undefined;
  // Without a book nothing new is sent; orders that fit stay, and the cancels of others go on.
  if (book === undefined && slot.needsPlan && slot.hasDecided) planSlot(state, slot, book);
  return book;
}

/** Plans towards the slot's targets where the decision or the orders are new. */
function followDecision(state: KernelState, slot: StrategySlot): void {
  const { hasNewTargets: isNew, openBook: book } = slot;
  slot.hasNewTargets = false;
  if (isNew) watchWaits(state, slot);
  if (slot.runner.fault === undefined && (isNew || slot.pulledNow || slot.needsPlan)) {
    if (isNew && book !== undefined) restrictTargets(state, slot, book);
    // Without new targets after a pull there are none: orders that could not be canceled in time are canceled now.
    planSlot(state, slot, book);
    if (isNew) followDemand(state, slot);
  }
  slot.pulledNow = false;
  slot.decidedWithoutBook = false;
  slot.needsPlan = false;
}

function failSlots(
  state: KernelState,
  slots: readonly StrategySlot[],
  fault: NonNullable<StrategyRunner["fault"]>,
): void {
  state.notes.push({ type: "strategyFault", strategy: slots[0]?.name ?? "", ...fault });
  for (const slot of slots) slot.plan = pullAll(state, slot);
}

/** When the risk ladder or an old price source begins or ends to restrict quotes, all of them are set anew. */
function followQuoteMode(state: KernelState, slot: StrategySlot): void {
  const mode = quoteModeOf(state, slot);
  if (mode === slot.quoteMode) return;
  slot.quoteMode = mode;
  slot.outdatedTo = state.lastIntent;
  slot.pull();
  // Without a book no decision follows in this step.
  slot.plan = pullAll(state, slot);
}

function planSlot(state: KernelState, slot: StrategySlot, book: BookView | undefined): void {
  if (book !== undefined) {
    slot.plannedMid = book.mid ?? 0;
    const quotes = guardTouch(slot.market, slot.targets.quotes, book);
    if (quotes !== slot.targets.quotes) slot.targets = { ...slot.targets, quotes };
  }
  const { quotes, tolerance, fartherTolerance, sizeTolerance, drop } = slot.targets;
  const orders = quotesOf(state, slot);
  // Neither a tolerance nor a name keeps an order that the risk ladder has not restricted.
  const outdated = outdatedOf(orders, slot.outdatedTo);
  const { bids, asks } = bySide(quotes);
  const made = plan({
    bids,
    asks,
    tolerance,
    fartherTolerance,
    sizeTolerance,
    drop: outdated.length === 0 ? drop : [...drop, ...outdated],
    mid: slot.plannedMid,
    orders,
    minSizeAt: rulesOf(slot.market.market).minSizeAt,
    mayModify: book !== undefined && usesModifies(state) ? mayModify : undefined,
  });
  const missing = made.place.filter(({ quote }) => !quote.placed);
  const kept = made.keep.map(({ order, quote }) => {
    quote.placed = true;
    if (quote.key !== undefined) state.orders.rekey(order, quote.key);
    return { intent: order.intent, price: quote.price };
  });
  // One that a partly filled order serves may be in the plan twice.
  for (const { quote } of missing) quote.placed = false;
  const { name: strategy, marketId, plannedMid } = slot;
  state.notes.push({ type: "planned", strategy, marketId, mid: plannedMid, tolerance, kept });
  slot.plan = made;
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
  let moved: Set<TargetQuote> | undefined;
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
      (moved ??= new Set()).add(target);
    }
  }
  return moved === undefined ? quotes : withoutPiles(quotes, moved);
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
