import { absFixed, fixed, fixedText, ZERO } from "../../domain/fixed.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import { opposite } from "../../domain/side.ts";
import type { BookView } from "../../strategy/view.ts";
import { staleReason } from "../freshness/needs.ts";
import { leftReason } from "../impossible/left-markets.ts";
import { unlistedReason } from "../impossible/market-list.ts";
import { bookLessOwn } from "../market-state.ts";
import { heldBy } from "../risk/risk-context.ts";
import { reducingSide } from "../../risk/exposure.ts";
import { standingOf } from "../risk/risk-state.ts";
import { haltReasonOf } from "../operator-state.ts";
import { slotsOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategyRunner } from "../strategy/strategy-runner.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { isObserving } from "../watch-others.ts";
import type { FlattenLeft, FlattenTerms } from "./flatten-left.ts";
import { WORK_TO } from "./target-takes.ts";

/** From one take to the next. */
const EVERY_MS = 250;
/** No position is larger. */
const WHOLE = fixed("1000000000000");

/** Cancels all orders of a strategy and works its positions off with takes, until `followFlatten` ends it. */
export function startFlatten(
  state: KernelState,
  runner: StrategyRunner,
  terms: FlattenTerms,
): void {
  runner.flattening = { withinMs: terms.withinMs, untilMs: undefined, parts: new Map() };
  runner.left = undefined;
  const { maxSlippage } = terms;
  const work = { position: ZERO, clip: WHOLE, everyMs: EVERY_MS, limit: undefined, maxSlippage };
  for (const slot of slotsOf(state, runner.name)) slot.takes.flatten = work;
}

/** Ends what is done, or whose time is over. */
export function followFlatten(state: KernelState): void {
  if (state.phase !== "running") return;
  for (const runner of state.runners) {
    const { flattening } = runner;
    if (flattening === undefined) continue;
    flattening.untilMs ??= state.nowMs + flattening.withinMs;
    const slots = slotsOf(state, runner.name);
    const isOver = state.nowMs >= flattening.untilMs || haltReasonOf(state, runner) !== undefined;
    if (isOver || slots.every((slot) => isFlat(state, slot))) endFlatten(state, runner);
  }
}

/** The next step takes its orders back; what is left is known. */
export function endFlatten(state: KernelState, runner: StrategyRunner): void {
  if (runner.flattening === undefined) return;
  runner.flattening = undefined;
  const slots = slotsOf(state, runner.name);
  runner.left = slots.flatMap((slot) => leftOf(state, slot) ?? []);
  for (const slot of slots) slot.takes.flatten = undefined;
}

function isFlat(state: KernelState, slot: StrategySlot): boolean {
  const left = leftOf(state, slot);
  return left === undefined || (left.isDust && left.orders.length === 0);
}

function leftOf(state: KernelState, slot: StrategySlot): FlattenLeft | undefined {
  const { name: strategy, marketId } = slot;
  const held = heldBy(state, slot);
  const side = reducingSide(held);
  const orders = state.orders
    .live(strategy)
    .filter((order) => order.marketId === marketId)
    .map(({ orderId, intent }) => orderId ?? `intent ${intent}`);
  if (side === undefined) {
    if (orders.length === 0) return undefined;
    return { strategy, marketId, position: "0", isDust: true, orders, reason: "nothing is held" };
  }
  const touch = bookLessOwn(state, slot.market)?.best(opposite(side))?.price;
  const least = touch === undefined ? ZERO : rulesOf(slot.market.market).minSizeAt(touch);
  const isDust = absFixed(held) < least;
  const reason = isDust
    ? `less than the smallest order, ${fixedText(least)}`
    : (refusalOf(state, slot) ?? slot.takes.records.get(WORK_TO)?.reason ?? "its time was over");
  return { strategy, marketId, position: fixedText(held), isDust, orders, reason };
}

/** The book by which takes of a slot may be sent; undefined while none may. */
export function takeBook(state: KernelState, slot: StrategySlot): BookView | undefined {
  if (slot.takes.flatten === undefined) return slot.openBook;
  return refusalOf(state, slot) === undefined ? bookLessOwn(state, slot.market) : undefined;
}

/** Triggers whose halt says nothing against the book. */
const lossTriggers: readonly string[] = [
  "position",
  "exposure",
  "sessionLoss",
  "dayLoss",
  "drawdown",
];

/** Why a position is not worked off now: a pause does not matter, a book that is not believed does. */
function refusalOf(state: KernelState, slot: StrategySlot): string | undefined {
  if (state.phase !== "running") return "the bot does not run";
  const halted = haltReasonOf(state, slot.runner);
  if (halted !== undefined) return `halted: ${halted}`;
  const { step, trigger = "", text } = standingOf(state, slot) ?? { step: "normal", text: "" };
  if (step === "halt" && !lossTriggers.includes(trigger)) return `halted by risk: ${text}`;
  if (isObserving(slot.market)) return "watching for another bot on this account";
  const doubt = leftReason(state, slot.marketId) ?? unlistedReason(slot.market);
  if (doubt !== undefined) return doubt;
  if (bookLessOwn(state, slot.market) === undefined) return "the book is not in sync";
  return staleReason(state, slot.market);
}
