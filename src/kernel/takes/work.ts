import { minFixed, subFixed, ZERO, type Fixed } from "../../domain/fixed.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import { opposite, type Side } from "../../domain/side.ts";
import { liveQuantity } from "../../risk/exposure.ts";
import type { BookView } from "../../strategy/view.ts";
import { heldBy, reducibleBy } from "../risk/risk-context.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { type TargetClip, type TargetWork, WORK_TO } from "./target-takes.ts";

/** The next take towards the position that the strategy works to; undefined while none is due. */
export function clipOf(
  state: KernelState,
  slot: StrategySlot,
  book: BookView,
): TargetClip | undefined {
  const { takes } = slot;
  const { work } = takes;
  takes.clip = undefined;
  if (work === undefined) return undefined;
  const { side, size } = wayTo(state, slot, work);
  const touch = book.best(opposite(side))?.price ?? 0;
  const isThere = touch > 0 && size < rulesOf(slot.market.market).minSizeAt(touch);
  if (size <= ZERO || isThere) return undefined;
  const { limit, maxSlippage } = work;
  const clip = { name: WORK_TO, side, size: minFixed(size, work.clip), quoteSize: undefined };
  takes.clip = { ...clip, limit, maxSlippage, isMarket: false };
  return state.nowMs < takes.clipMs + work.everyMs ? undefined : takes.clip;
}

/**
 * The side and the size that lead to the position in the worst case: all own orders of that side count as filled, those in doubt and
 * the takes of this step too, and of purchases whose fees are not known yet what they bring at least, or at most.
 */
function wayTo(
  state: KernelState,
  slot: StrategySlot,
  { position }: TargetWork,
): { readonly side: Side; readonly size: Fixed } {
  const most = heldBy(state, slot);
  const side: Side = position > most ? "BUY" : "SELL";
  const held = side === "BUY" ? most : reducibleBy(state, slot);
  const gap = side === "BUY" ? subFixed(position, held) : subFixed(held, position);
  const own = liveQuantity(state.orders.live(slot.name), slot.marketId, side);
  const before = state.step.takes.filter(
    (take) => take.slot === slot && take.proposal.side === side,
  );
  const size = before.reduce((sum, { proposal }) => subFixed(sum, proposal.quantity), gap);
  return { side, size: subFixed(size, own) };
}
