import { fixedText } from "../../domain/fixed.ts";
import type { Fill } from "../../domain/order.ts";
import type { TrackedOrder } from "../../orders/tracked-order.ts";
import { ADOPTED } from "./adoption.ts";
import { slotOf } from "../slots.ts";
import type { KernelState } from "../state.ts";

/**
 * Orders of an earlier run that belong to no slot: their strategy is not in the config any more, or trades another market now. They
 * are canceled. Their fills are booked to the position that their strategy left in that market.
 */

/** Why an order belongs to no slot; undefined when it does. */
export function orphanReason(state: KernelState, order: TrackedOrder): string | undefined {
  // Only orders of an earlier run, which have negative intents, can be orphans.
  if (order.intent >= 0 || slotOf(state, order) !== undefined) return undefined;
  if (order.strategy === ADOPTED) return "the journal had lost it";
  const now = state.slotsByName.get(order.strategy)?.map(({ marketId }) => marketId);
  return now === undefined
    ? "no strategy of this name is in the config"
    : `the strategy trades ${now.join(" and ")} now`;
}

/** Warns once for each strategy and market whose orders will be canceled. */
export function warnOfOrphans(state: KernelState, restored: readonly TrackedOrder[]): void {
  const groups = new Map<string, { count: number; readonly reason: string }>();
  for (const order of restored) {
    const reason = orphanReason(state, order);
    if (reason === undefined) continue;
    const whose = `of strategy ${order.strategy} in ${order.marketId}`;
    const group = groups.get(whose) ?? { count: 0, reason };
    group.count += 1;
    groups.set(whose, group);
  }
  for (const [whose, { count, reason }] of groups) {
    const orders = count === 1 ? `1 order ${whose} is` : `${count} orders ${whose} are`;
    state.notes.push({
      type: "warning",
      code: "ORPHANED_ORDERS",
      message: `${orders} left from an earlier run and will be canceled: ${reason}`,
    });
  }
}

/** Warns of a fill that no strategy sees. It is in the position that its strategy left in the market, and counts in its limits. */
export function warnOfOrphanedFill(
  state: KernelState,
  { strategy }: TrackedOrder,
  fill: Fill,
): void {
  const { marketId, side, quantity, price } = fill;
  state.notes.push({
    type: "warning",
    code: "ORPHANED_FILL",
    message: `an order of strategy ${strategy} in ${marketId} was filled (${side} ${fixedText(quantity)} at ${fixedText(price)}), which no strategy of the configuration sees: \`touchline position show\` has it`,
  });
}
