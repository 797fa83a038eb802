import { decimalOf } from "../../domain/decimal.ts";
import { maxFixed, ZERO } from "../../domain/fixed.ts";
import { snapshotOf } from "../../orders/snapshot-of.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import type { OwnTake } from "../../strategy/view.ts";
import type { StrategySlot } from "../strategy/strategy-slot.ts";
import { WORK_TO } from "./target-takes.ts";

/** The takes of a slot as its strategy sees them: those of the newest targets first, in their order. */
export function ownTakes(slot: StrategySlot): readonly OwnTake[] {
  const { wanted, work, clip, records } = slot.takes;
  const own = wanted.map((target) => ownTake(slot, target));
  if (work !== undefined) {
    own.push(ownTake(slot, clip ?? { name: WORK_TO, side: undefined, size: ZERO }));
  }
  for (const [name, { order }] of records.entries()) {
    if (order === undefined || order.phase === "ended") continue;
    if (own.every((take) => take.name !== name)) own.push(ownTake(slot, { name, ...order }));
  }
  return own;
}

function ownTake(
  { takes, openBook }: StrategySlot,
  wanted: Pick<OwnTake, "name" | "side"> & { readonly size?: TrackedOrder["quantity"] | undefined },
): OwnTake {
  const { name } = wanted;
  const { order: newest, isOver = false, reason } = takes.records.get(name) ?? {};
  const { base, quote, fees } = takes.traded(name);
  const isWork = name === WORK_TO;
  const isOpen = newest !== undefined && newest.phase !== "ended";
  const isDone = isWork ? wanted.side === undefined : isOver;
  // An order that the venue did not take says nothing.
  const order = isOpen || isDone ? newest : undefined;
  const size = order?.quantity ?? wanted.size;
  const waitsFor = openBook === undefined ? "the market may not be traded in" : reason;
  return {
    name,
    id: order?.intent,
    side: order?.side ?? wanted.side,
    size: size === undefined ? undefined : decimalOf(size),
    executed: decimalOf(maxFixed(base, order?.executed ?? ZERO)),
    averagePrice: base === ZERO ? undefined : decimalOf(quote).dividedBy(decimalOf(base)),
    fees: decimalOf(fees),
    state: isOpen ? stateOf(newest) : isDone ? "over" : "wanted",
    reason: isOpen || isDone ? order?.reason || undefined : waitsFor,
  };
}

function stateOf(order: TrackedOrder): OwnTake["state"] {
  const { state } = snapshotOf(order);
  if (state === "canceling") return "leaving";
  return state === "working" ? "working" : "sent";
}
