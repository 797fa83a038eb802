import {
  absFixed,
  addFixed,
  divDown,
  fixed,
  maxFixed,
  minFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import { heldBy } from "../risk/risk-context.ts";
import { slotsOf, takesOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import type { PreparedTake } from "./prepared-take.ts";

/** Opposite positions are worked off in so many parts: when one side of a part fails, the net position moves by a part at most. */
const PARTS = fixed("5");

/**
 * Cuts the takes that work off opposite positions of one strategy in a token, so that its net position does not grow: first the larger one
 * trades the difference alone, then both trade the same part at the same time. A side that did not trade is the larger one then.
 */
export function pairTakes(state: KernelState): void {
  for (const { name, flattening } of state.runners) {
    if (flattening === undefined) continue;
    const slots = slotsOf(state, name);
    const byToken = Map.groupBy(slots, ({ market }) => market.market.baseToken);
    for (const [token, group] of byToken) pairGroup(state, group, token, flattening.parts);
  }
}

function pairGroup(
  state: KernelState,
  slots: readonly StrategySlot[],
  token: TokenId,
  parts: Map<TokenId, Fixed>,
): void {
  const held = slots.map((slot) => heldBy(state, slot));
  if (held.every((base) => base >= ZERO) || held.every((base) => base <= ZERO)) return;
  const net = held.reduce(addFixed, ZERO);
  const long = held.reduce((sum, base) => addFixed(sum, maxFixed(base, ZERO)), ZERO);
  const opposite = minFixed(long, subFixed(long, net));
  const part = maxFixed(parts.get(token) ?? ZERO, divDown(opposite, PARTS, 18));
  parts.set(token, part);
  const [others, own] = [false, true].map((isOwn) =>
    state.step.takes.filter(({ slot }) => slots.includes(slot) === isOwn),
  ) as [PreparedTake[], PreparedTake[]];
  const isBusy = slots.some((slot) => takesOf(state, slot).length > 0);
  const paired = isBusy ? cut(own, ZERO) : cutToNet(own, net, part);
  // They wait for each other's obstacles, too.
  const inWay = paired.flatMap((take) => take.inWay);
  state.step.takes = [...others, ...paired.map((take) => ({ ...take, inWay }))];
}

function cutToNet(
  takes: readonly PreparedTake[],
  net: Fixed,
  part: Fixed,
): readonly PreparedTake[] {
  const larger = net < ZERO ? "BUY" : "SELL";
  let [most, least] = [
    takes.filter(({ proposal }) => proposal.side === larger),
    takes.filter(({ proposal }) => proposal.side !== larger),
  ];
  const difference = absFixed(net);
  const alone = cut(most, difference);
  if (alone.length > 0) return [...alone, ...cut(least, ZERO)];
  const smallest = takes.map(({ slot, proposal }) =>
    rulesOf(slot.market.market).minSizeAt(proposal.price),
  );
  least = cut(least, smallest.reduce(maxFixed, part));
  // A cut to less than the smallest order drops a take, which cuts the other side again.
  for (let last: Fixed | undefined; last !== sizeOf([...most, ...least]); ) {
    last = sizeOf([...most, ...least]);
    most = cut(most, addFixed(sizeOf(least), difference));
    least = cut(least, sizeOf(most));
  }
  return [...most, ...least];
}

function cut(takes: readonly PreparedTake[], limit: Fixed): PreparedTake[] {
  let left = limit;
  return takes.flatMap((take) => {
    const { slot, record, proposal } = take;
    const rules = rulesOf(slot.market.market);
    const quantity = rules.roundSize(minFixed(proposal.quantity, left));
    if (quantity === ZERO || quantity < rules.minSizeAt(proposal.price)) {
      record.reason = "it is worked off together with the opposite position in another market";
      return [];
    }
    left = subFixed(left, quantity);
    return [{ ...take, proposal: { ...proposal, quantity } }];
  });
}

function sizeOf(takes: readonly PreparedTake[]): Fixed {
  return takes.reduce((sum, { proposal }) => addFixed(sum, proposal.quantity), ZERO);
}
