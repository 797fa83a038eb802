import type { OrderingCommand, PlaceCommand } from "../../domain/command.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { Proposal } from "../../risk/context.ts";
import { denialText } from "../../risk/gate.ts";
import { heldBackReason, takeNumbers } from "../orders/cancel-order.ts";
import { riskContext } from "../risk/risk-context.ts";
import { takesOf } from "../slots.ts";
import type { KernelState } from "../state.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { takeBook } from "./flatten.ts";
import { leavesMs } from "./next-take.ts";
import type { PreparedTake } from "./prepared-take.ts";
import { reaches } from "./reaches.ts";
import { WORK_TO } from "./target-takes.ts";

/** Calls back for each take that is to be canceled now. */
export function cancelTakes(
  state: KernelState,
  slot: StrategySlot,
  cancel: (order: TrackedOrder, reason: string) => void,
): void {
  if (slot.takes.isIdle) return;
  for (const order of takesOf(state, slot)) {
    const reason = leavingReason(state, slot, order);
    if (reason !== undefined) cancel(order, reason);
  }
}

function leavingReason(
  state: KernelState,
  slot: StrategySlot,
  order: TrackedOrder,
): string | undefined {
  const { records, wanted, work } = slot.takes;
  const name = order.take?.name ?? "";
  // An order that we took for never placed appeared late.
  if (records.get(name)?.order !== order) return "another order has its name";
  if (takeBook(state, slot) === undefined) return "the market may not be traded in";
  const isWanted = name === WORK_TO ? work !== undefined : wanted.some((one) => one.name === name);
  if (!isWanted) return "withdrawn";
  return leavesMs(slot, order) <= state.nowMs ? "it did not trade at once" : undefined;
}

/** Sends the prepared takes that nothing of ours is in the way of. The others stay prepared. */
export function emitTakes(state: KernelState, orders: OrderingCommand[]): void {
  state.step.takes = state.step.takes.filter((take) => !emitOne(state, take, orders));
}

function emitOne(state: KernelState, take: PreparedTake, orders: OrderingCommand[]): boolean {
  const { slot, book, record, proposal, inWay } = take;
  if (inWay.some(({ phase }) => phase !== "ended")) {
    record.reason = "waiting for the end of own quotes in its way";
    return false;
  }
  const verdict = state.gate.check(proposal, riskContext(state, slot, book));
  if (!verdict.allowed) {
    record.reason = denialText(verdict);
    return false;
  }
  const numbers = takeNumbers(state, "place");
  if (numbers === undefined) {
    record.reason = heldBackReason(state);
    return false;
  }
  const command: PlaceCommand = { type: "place", ...numbers, ...proposal };
  slot.takes.track(state.orders.commands.place(command, state.nowMs));
  if (proposal.take?.name === WORK_TO) slot.takes.clipMs = state.nowMs;
  orders.push(command);
  return true;
}

/** Whether a take that waits or works would meet this quote, which waits in turn. */
export function isAhead(state: KernelState, quote: Proposal): boolean {
  if (state.step.takes.some(({ proposal }) => reaches(proposal, quote))) return true;
  return state.slots.some(
    (slot) =>
      !slot.takes.isIdle &&
      takesOf(state, slot).some((order) => order.phase !== "unknown" && reaches(order, quote)),
  );
}
