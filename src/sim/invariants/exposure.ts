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
import type { Side } from "../../domain/side.ts";
import type { OrderRecord } from "../../exchange/records.ts";
import type { Invariant } from "../invariant.ts";
import { LimitOracle } from "../limit-oracle.ts";
import type { SeenTransaction } from "../oracle.ts";

const sides: readonly Side[] = ["BUY", "SELL"];

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
 */
export const exposure: Invariant = {
  name: "exposure",
  watch({ scenario, oracle, sent, venueNowMs, elapsedMs, blockedMs }) {
    const { baseToken, marketId } = oracle.market;
    let before = oracle.total(baseToken);
    const derived = scenario.derivesLimits ? new LimitOracle(oracle) : undefined;
    const configured = fixed(scenario.maxPosition);
    /** Undefined while observers cannot know yet which limit the bot derived; 0 before it derives one. */
    const limitNow = (): Fixed | undefined => {
      const written = derived === undefined ? configured : derived.maxPosition;
      if (written !== undefined) return addFixed(written, (written / FEE_SLACK) as Fixed);
      return oracle.hasUnseenStep || elapsedMs() - blockedMs() <= TELL_MS ? undefined : ZERO;
    };
    /** Orders that the venue took although it had refused a copy: the bot cannot know of them (docs/decisions/208). */
    const copies = new Map<OrderId, OrderRecord>();
    const noteCopies = (): void => {
      for (const hash of sent.refused) {
        if (copies.has(hash) || oracle.exchange.orderStatus(hash) === undefined) continue;
        const copy = oracle.exchange.order(hash);
        if (copy !== undefined && copy.status !== "REJECTED") copies.set(hash, copy);
      }
    };
    /** By how much they may exceed the limit on a side. Legs are on the side that their order is not. */
    const addedByCopies = (side: Side): Fixed => {
      let sum = ZERO;
      for (const copy of copies.values()) {
        const isOfSide = copy.side === side || copy.otoLegType !== "NONE";
        if (copy.marketId === marketId && isOfSide) sum = addFixed(sum, copy.origQty);
      }
      return sum;
    };
    let isForgotten = false;
    let isUnknowable = false;
    /** What commands add that the venue has not read yet, however late they arrive. */
    const added = (side: Side, underWay: readonly SeenTransaction[]): Fixed => {
      let sum = ZERO;
      for (const { command, hash } of underWay) {
        if (sent.refused.has(hash)) continue;
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
      runStarts() {
        // Fills of orders that the disk had lost are not among those that the bot can know.
        isForgotten = oracle.hasLostOrders || isUnknowable;
      },
      venueDataLost() {
        // The run keeps counting orders that the venue forgot, so the limit is not checked again before the next run.
        before = subFixed(oracle.total(baseToken), oracle.position.base);
        isForgotten = true;
        // Nobody knows fills any more that were missing in the journal as well.
        isUnknowable ||= oracle.hasJournalGap;
      },
      entry(entry) {
        derived?.entry(entry);
        return undefined;
      },
      tick() {
        noteCopies();
        if (isForgotten) return undefined;
        const limit = limitNow();
        if (limit === undefined) return undefined;
        const net = subFixed(oracle.total(baseToken), before);
        const open = oracle.openAtVenue();
        const underWay = sent.underWay(venueNowMs());
        for (const side of sides) {
          const left = remainingQuantity(open.filter((order) => order.side === side));
          const soFar = addFixed(side === "BUY" ? net : negFixed(net), left);
          const now = addFixed(soFar, added(side, underWay));
          const most = addFixed(limit, addedByCopies(side));
          if (now > most) return `${side} ${fixedText(now)}, limit ${fixedText(most)}`;
        }
        return undefined;
      },
    };
  },
};
