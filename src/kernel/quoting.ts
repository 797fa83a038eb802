import { opposite } from "../domain/side.ts";
import { makerPrice } from "../execution/maker-guard.ts";
import { plan, type Plan } from "../execution/planner.ts";
import { mayBeModified } from "../orders/tracked-order.ts";
import type { BookView } from "../strategy/view.ts";
import {
  bookLessOwn,
  marketOfDesk,
  type Desk,
  type KernelState,
  type MarketState,
} from "./state.ts";
import { makeView } from "./strategy-view.ts";
import type { Wish } from "./wishes.ts";
import { withdrawal } from "./withdrawal.ts";

/** Asks every strategy that has news or is due, once, and plans the least change towards what it wants. */
export function decide(state: KernelState): void {
  for (const desk of state.desks) {
    const { runner } = desk;
    const market = marketOfDesk(state, desk);
    if (withdrawal(state, desk) !== undefined) {
      runner.isWithdrawn = true;
      runner.plan = withdrawAll(state, desk);
      continue;
    }
    const book = state.phase === "running" ? bookLessOwn(state, market) : undefined;
    // Blind for a moment: what rests stays, nothing new is sent, and the strategy is not asked.
    if (book === undefined || !(runner.isWithdrawn || runner.isDue(state.nowMs))) continue;
    const isNew = ask(state, desk, market, book);
    if (runner.fault !== undefined) {
      state.notes.push({ type: "strategyFault", strategy: runner.name, message: runner.fault });
      runner.plan = withdrawAll(state, desk);
    } else if (isNew || runner.isWithdrawn) {
      // What it wished last and keeps was taken down meanwhile: it is wanted anew.
      if (!isNew) runner.wantAnew();
      planDesk(state, desk, book);
    }
    runner.isWithdrawn = false;
  }
}

function ask(state: KernelState, desk: Desk, market: MarketState, book: BookView): boolean {
  const { runner, position } = desk;
  return runner.decide(
    makeView({
      nowMs: state.nowMs,
      market: market.market,
      book,
      runner,
      quotes: state.orders.quotes(runner.name),
      contingent: state.orders.contingent(runner.name),
      live: state.orders.live(),
      position,
      balances: state.balances,
    }),
  );
}

function planDesk(state: KernelState, desk: Desk, book: BookView): void {
  const { runner } = desk;
  const { quotes, tolerance, sizeTolerance, drop } = runner.wishes;
  guardTouch(quotes, book);
  const made = plan({
    bids: quotes.filter((wish) => wish.side === "BUY"),
    asks: quotes.filter((wish) => wish.side === "SELL"),
    tolerance,
    sizeTolerance,
    drop,
    mid: book.mid ?? 0,
    orders: state.orders.quotes(runner.name),
    ...(state.modifies.isOn ? { mayModify: mayBeModified } : {}),
  });
  for (const { quote } of made.keep) quote.served = true;
  if (made.keep.length > 0) {
    state.notes.push({ type: "kept", strategy: runner.name, count: made.keep.length });
  }
  runner.plan = made;
}

/** Brings fresh wishes inside the opposite touch, so that what is planned is what will be sent. */
function guardTouch(quotes: readonly Wish[], book: BookView): void {
  for (const wish of quotes) {
    const price = makerPrice(wish.side, wish.price, book.best(opposite(wish.side))?.price);
    if (price === undefined) wish.served = true;
    else wish.price = price;
  }
}

/** A plan that takes every quote of the desk away. */
function withdrawAll(state: KernelState, desk: Desk): Plan<Wish> {
  return plan<Wish>({
    bids: [],
    asks: [],
    tolerance: 0,
    sizeTolerance: 0,
    mid: 0,
    orders: state.orders.quotes(desk.runner.name),
  });
}
