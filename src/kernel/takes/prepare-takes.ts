import {
  divDown,
  fixedFromNumber,
  fixedText,
  minFixed,
  plainNumber,
  type Fixed,
} from "../../domain/fixed.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import { opposite } from "../../domain/side.ts";
import { isQuote } from "../../orders/bracket.ts";
import type { Proposal } from "../../risk/context.ts";
import { withoutLeaving } from "../../risk/exposure.ts";
import { denialText } from "../../risk/gate.ts";
import type { LimitValues } from "../../risk/rules.ts";
import { limitsFor } from "../../risk/settings.ts";
import type { BookView } from "../../strategy/view.ts";
import { riskContext } from "../risk/risk-context.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { takeBook } from "./flatten.ts";
import { pairTakes } from "./pair-takes.ts";
import { reaches } from "./reaches.ts";
import { type TargetClip, WORK_TO } from "./target-takes.ts";
import { clipOf } from "./work.ts";

/** Finds the takes that can be sent now: a fresh market, something offered within the limit, and a risk gate that lets them pass. */
export function prepareTakes(state: KernelState): void {
  if (state.phase !== "running" || !state.streamOpen) return;
  for (const slot of state.slots) {
    const { takes } = slot;
    const book = takes.isIdle ? undefined : takeBook(state, slot);
    if (book === undefined) continue;
    for (const target of takes.wanted) prepare(state, slot, book, target);
    const clip = clipOf(state, slot, book);
    if (clip !== undefined) prepare(state, slot, book, clip);
  }
  pairTakes(state);
}

function prepare(state: KernelState, slot: StrategySlot, book: BookView, target: TargetClip): void {
  const record = slot.takes.records.of(target.name);
  const isLive = record.order !== undefined && record.order.phase !== "ended";
  const isUsed = record.isOver && target.name !== WORK_TO;
  if (isLive || isUsed || record.untilMs > state.nowMs) return;
  // The venue is still asked about its refused order, of which it may have taken another copy.
  if (record.order?.queryAtMs !== undefined) return;
  const proposal = proposalOf(state, slot, book, target);
  if (typeof proposal === "string") {
    record.reason = proposal;
    return;
  }
  const inWay = state.orders
    .live()
    .filter((order) => isQuote(order) && order.phase !== "unknown" && reaches(proposal, order));
  // Quotes wait for this take, so it must not wait for an order in doubt.
  if (inWay.some(({ cancel }) => cancel === "unknown" || cancel === "refused")) {
    record.reason = "an own quote in its way is in doubt";
    return;
  }
  const context = riskContext(state, slot, book);
  const verdict = state.gate.check(
    proposal,
    withoutLeaving(context, (order) => inWay.includes(order)),
  );
  if (verdict.allowed) {
    state.step.takes = [...state.step.takes, { slot, book, record, proposal, inWay }];
    return;
  }
  const { reason, waits } = verdict;
  record.reason = denialText(verdict);
  if (waits || record.deniedBy === reason.rule) return;
  record.deniedBy = reason.rule;
  const { strategy, marketId, side, quantity, take } = proposal;
  const denial = {
    strategy,
    marketId,
    take: target.name,
    side,
    price: take?.worst ?? 0,
    quantity,
    reason,
  };
  state.notes.push({ type: "denied", ...denial });
  // The strategy has to know what keeps a hedge from being traded.
  slot.runner.needsDecision = true;
}

/** The order for a take by the book as it is, or why there is none. */
function proposalOf(
  { config }: KernelState,
  { name: strategy, marketId, market: { market } }: StrategySlot,
  book: BookView,
  target: TargetClip,
): Proposal | string {
  const { name, side, isMarket } = target;
  const rules = rulesOf(market);
  const touch = book.best(opposite(side))?.price;
  if (touch === undefined) return "the other side of the book is empty";
  const worst = worstPrice(target, touch);
  const price = side === "BUY" ? rules.roundDown(worst) : rules.roundUp(worst);
  const offered = fixedFromNumber(book.quantityTo(opposite(side), price));
  const size = sizeOf(target, { touch, price });
  // More clips follow.
  const wanted =
    name === WORK_TO
      ? cutToLimits(size, limitsFor(config.risk, marketId), Math.max(price, book.mid ?? 0))
      : size;
  const quantity = rules.roundSize(minFixed(wanted, offered));
  const least = rules.minSizeAt(isMarket ? touch : price);
  if (quantity < least || quantity === 0n) {
    const limit = plainNumber(price);
    return wanted < least
      ? `${fixedText(wanted)} is less than the smallest order, ${fixedText(least)}`
      : `${fixedText(offered)} is offered at ${limit} or better, less than the smallest order, ${fixedText(least)}`;
  }
  return {
    strategy,
    marketId,
    side,
    orderType: isMarket ? "MARKET" : "LIMIT",
    orderMode: 0,
    price: isMarket ? 0 : price,
    quantity,
    take: { name, worst: price },
  };
}

function worstPrice({ side, limit, maxSlippage }: TargetClip, touch: number): number {
  const away = maxSlippage === undefined ? Number.POSITIVE_INFINITY : touch * maxSlippage;
  return side === "BUY"
    ? Math.min(limit ?? Number.POSITIVE_INFINITY, touch + away)
    : Math.max(limit ?? 0, touch - away);
}

/** The wanted size in base token. What a purchase for quote token spends is at most that at the worst price. */
function sizeOf(
  { side, size, quoteSize }: TargetClip,
  { touch, price }: { readonly touch: number; readonly price: number },
): Fixed {
  if (size !== undefined || quoteSize === undefined) return size ?? (0n as Fixed);
  return divDown(quoteSize, fixedFromNumber(side === "BUY" ? price : touch), DECIMALS);
}

/** The size, cut to what the configuration lets one order be at this price, the higher one of its own and the mid. */
function cutToLimits(
  size: Fixed,
  { maxOrderSize, maxOrderNotional }: LimitValues,
  price: number,
): Fixed {
  const inBase = (quote: Fixed): Fixed => divDown(quote, fixedFromNumber(price), DECIMALS);
  let cut = size;
  if (typeof maxOrderSize === "bigint") cut = minFixed(cut, maxOrderSize);
  else if (maxOrderSize) cut = minFixed(cut, inBase(maxOrderSize.quote));
  return maxOrderNotional ? minFixed(cut, inBase(maxOrderNotional)) : cut;
}

/** A lot has at most so many decimals. */
const DECIMALS = 18;
