import {
  absFixed,
  addFixed,
  maxFixed,
  minFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../domain/fixed.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import { heldBy } from "../risk/risk-context.ts";
import { takesOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import type { PreparedTake } from "./prepared-take.ts";

/**
 * Cuts the takes that work off opposite positions of one strategy in a token, so that its net position never grows: both sides trade
 * the same at the same time, after the larger one has traded the difference or together with it.
 */
export function pairTakes(state: KernelState): void {
  for (const { name, flattening } of state.runners) {
    if (flattening === undefined) continue;
    const slots = state.slotsByName.get(name) ?? [];
    const byToken = Map.groupBy(slots, ({ market }) => market.market.baseToken);
    for (const group of byToken.values()) pairGroup(state, group);
  }
}

function pairGroup(state: KernelState, slots: readonly StrategySlot[]): void {
  const held = slots.map((slot) => heldBy(state, slot));
  if (held.every((base) => base >= ZERO) || held.every((base) => base <= ZERO)) return;
  const net = held.reduce(addFixed, ZERO);
  const [others, own] = [false, true].map((isOwn) =>
    state.step.takes.filter(({ slot }) => slots.includes(slot) === isOwn),
  ) as [PreparedTake[], PreparedTake[]];
  const isBusy = slots.some((slot) => takesOf(state, slot).length > 0);
  const paired = isBusy ? cut(own, ZERO) : cutToNet(own, net);
  // They wait for each other's obstacles, too.
  const inWay = paired.flatMap((take) => take.inWay);
  state.step.takes = [...others, ...paired.map((take) => ({ ...take, inWay }))];
}

function cutToNet(takes: readonly PreparedTake[], net: Fixed): readonly PreparedTake[] {
  const larger = net < ZERO ? "BUY" : "SELL";
  let [most, least] = [
    takes.filter(({ proposal }) => proposal.side === larger),
    takes.filter(({ proposal }) => proposal.side !== larger),
  ];
  const difference = absFixed(net);
  const [first] = most;
  const before =
    first === undefined ? ZERO : rulesOf(first.slot.market.market).roundSize(difference);
  // A cut to less than the smallest order drops a take, which cuts the other side again.
  for (let last: Fixed | undefined; last !== sizeOf([...most, ...least]); ) {
    last = sizeOf([...most, ...least]);
    most = cut(most, addFixed(sizeOf(least), difference));
    least = cut(least, maxFixed(ZERO, subFixed(sizeOf(most), before)));
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
