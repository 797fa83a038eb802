import {
  addFixed,
  fixed,
  fixedText,
  maxFixed,
  minFixed,
  negFixed,
  subFixed,
  type Fixed,
  ZERO,
} from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import { isTerminal } from "../../domain/order.ts";
import { type Side, sides } from "../../domain/side.ts";
import type { OrderRecord } from "../../exchange/records.ts";
import type { Invariant } from "../invariant.ts";
import { LimitOracle } from "../limit-oracle.ts";
import type { SeenTransaction } from "../seen-transaction.ts";

/** Quantity that these orders may still trade. A pair of legs counts once; what one leg fills is deducted from the other (D25). */
function remainingQuantity(open: readonly OrderRecord[]): Fixed {
  const pairs = new Map<string, Fixed>();
  let sum = ZERO;
  for (const { origQty, executedQty, otoLegType, txHash } of open) {
    const left = subFixed(origQty, executedQty);
    if (otoLegType === "TP_LEG" || otoLegType === "SL_LEG") {
      pairs.set(txHash, minFixed(left, pairs.get(txHash) ?? left));
    } else {
      sum = addFixed(sum, left);
    }
  }
  for (const left of pairs.values()) sum = addFixed(sum, left);
  return sum;
}

/** A bot that a call blocked between its orders and its observers' turn tells of that step within this time of its return. */
const TELL_MS = 1_000;
/** Relative tolerance for fees of fills that the bot knows only by their quantity. */
const FEE_SLACK = 1000n;

/**
 * Per side, executed plus open quantity at the venue, plus that of commands which the venue may still take, never exceeds the
 * position limit, over all runs (risk/rules/max-position.ts). A limit that the configuration leaves unset is derived here anew.
 * An order that is taken over may exceed it, and from then on the excess only shrinks.
 */
export const exposure: Invariant = {
  name: "exposure",
  watch({ scenario, oracle, sent, venueNowMs, elapsedMs, blockedMs }) {
    const { baseToken, marketId } = oracle.market;
    const before = oracle.total(baseToken);
    const derived = scenario.derivesLimits ? new LimitOracle(oracle) : undefined;
    const configured = fixed(scenario.maxPosition);
    /** Undefined while observers cannot know yet which limit the bot derived; 0 before it derives one. */
    const limitNow = (): Fixed | undefined => {
      const written = derived === undefined ? configured : derived.maxPosition;
      if (written !== undefined) return addFixed(written, (written / FEE_SLACK) as Fixed);
      return elapsedMs() - blockedMs() <= TELL_MS ? undefined : ZERO;
    };
    const mayBeUnknown = (hash: OrderId): boolean =>
      sent.refused.has(hash) || oracle.lost.hashes.has(hash);
    /** Orders at the venue that the bot cannot know: lost ones, and those of which it had refused a copy (docs/decisions/007). */
    const unknown = new Map<OrderId, OrderRecord>();
    const noteUnknown = (): void => {
      for (const hash of [...sent.refused, ...oracle.lost.hashes]) {
        const noted = unknown.get(hash);
        if (noted !== undefined && isTerminal(noted.status)) continue;
        const order = oracle.exchange.order(hash);
        if (order !== undefined && order.status !== "REJECTED") unknown.set(hash, order);
      }
    };
    /** By how much they may exceed the limit on a side: what they trade. Legs are on the side that their order is not. */
    const addedByUnknown = (side: Side): Fixed => {
      let sum = ZERO;
      for (const order of unknown.values()) {
        const isOfSide = order.side === side || order.otoLegType !== "NONE";
        if (order.marketId !== marketId || !isOfSide) continue;
        sum = addFixed(sum, isTerminal(order.status) ? order.executedQty : order.origQty);
      }
      return sum;
    };
    /** By how much orders that were taken over may still exceed the limit. */
    const excess: Record<Side, Fixed> = { BUY: ZERO, SELL: ZERO };
    const taken = new Set<OrderId>();
    const noteTaken = (): void => {
      for (const orderId of oracle.takenOver) {
        const order = taken.has(orderId) ? undefined : oracle.exchange.order(orderId);
        taken.add(orderId);
        if (order !== undefined) excess[order.side] = addFixed(excess[order.side], order.origQty);
      }
    };
    /** What commands add that the venue has not read yet, however late they arrive. */
    const added = (side: Side, underWay: readonly SeenTransaction[]): Fixed => {
      let sum = ZERO;
      for (const { command, hash } of underWay) {
        if (mayBeUnknown(hash)) continue;
        // A copy of a command that the venue has taken.
        if (oracle.exchange.orderStatus(hash) !== undefined) continue;
        if (command.type === "modify" && command.quantity !== undefined) {
          const original = oracle.exchange.order(command.orderId);
          if (original === undefined || original.side !== side || isTerminal(original.status))
            continue;
          if (original.marketId !== marketId) continue;
          sum = addFixed(sum, maxFixed(ZERO, subFixed(command.quantity, original.origQty)));
        } else if ((command.type === "place" || command.type === "stop") && command.side === side) {
          if (command.orderMode === 0 && command.marketId === marketId)
            sum = addFixed(sum, command.quantity);
        }
      }
      return sum;
    };
    return {
      entry(entry) {
        derived?.entry(entry);
        return undefined;
      },
      tick() {
        noteUnknown();
        noteTaken();
        const limit = limitNow();
        if (limit === undefined) return undefined;
        const net = subFixed(oracle.total(baseToken), before);
        const open = oracle.openAtVenue();
        const underWay = sent.underWay(venueNowMs());
        for (const side of sides) {
          const left = remainingQuantity(open.filter((order) => order.side === side));
          const soFar = addFixed(side === "BUY" ? net : negFixed(net), left);
          const now = addFixed(soFar, added(side, underWay));
          const most = addFixed(limit, addedByUnknown(side));
          const over = maxFixed(ZERO, subFixed(now, most));
          if (over > excess[side]) return `${side} ${fixedText(now)}, limit ${fixedText(most)}`;
          excess[side] = over;
        }
        return undefined;
      },
    };
  },
};
