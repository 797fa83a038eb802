import type { OrderId } from "../../domain/ids.ts";
import type { Invariant } from "../invariant.ts";

/** How long an order may be open at the venue without a running bot knowing it. */
const ORPHAN_MS = 15_000;

/** Every own order that is open at the venue is live in the bot. */
export const noOrphan: Invariant = {
  name: "no-orphan",
  watch({ scenario, oracle, elapsedMs, isBotAlive }) {
    const since = new Map<OrderId, number>();
    /** Hashes of the orders that the current run sent. */
    const sentByRun = new Set<OrderId>();
    let areFaultsOver = false;
    return {
      faultsEnded() {
        areFaultsOver = true;
        return undefined;
      },
      runStarts() {
        since.clear();
        sentByRun.clear();
      },
      request(transaction) {
        if (transaction === undefined) return undefined;
        const { command, hash } = transaction;
        const before = new Set(sentByRun);
        if (command.type !== "cancel") sentByRun.add(hash);
        if (command.type !== "place" || !oracle.hasLostOrders) return undefined;
        const lost = oracle
          .openAtVenue()
          .find(({ orderId, txHash }) => !oracle.orders.has(orderId) && !before.has(txHash));
        return lost === undefined
          ? undefined
          : `an order was placed while ${lost.orderId}, which the disk lost, was open and not found`;
      },
      entry({ notes }) {
        const isAdopting = notes.some(
          (note) => note.type === "warning" && note.code === "ORDERS_ADOPTED",
        );
        return isAdopting && scenario.durability === "power"
          ? "the disk lost orders although they wait for it"
          : undefined;
      },
      tick() {
        // Orders that the disk lost are found only when the venue can be reached.
        if (!isBotAlive() || (oracle.hasLostOrders && !areFaultsOver)) {
          since.clear();
          return undefined;
        }
        const nowMs = elapsedMs();
        const unknown = oracle
          .openAtVenue()
          .map(({ orderId }) => orderId)
          .filter((orderId) => oracle.orders.get(orderId) !== "live");
        for (const orderId of since.keys()) if (!unknown.includes(orderId)) since.delete(orderId);
        for (const orderId of unknown) {
          const firstMs = since.get(orderId) ?? nowMs;
          since.set(orderId, firstMs);
          oracle.lasted("orphan", nowMs - firstMs);
          if (nowMs - firstMs > ORPHAN_MS) {
            return `${orderId} is open at the venue, in the bot it is ${oracle.orders.get(orderId) ?? "unknown"}`;
          }
        }
        return undefined;
      },
    };
  },
};
