import type { OrderId } from "../../domain/ids.ts";
import type { Invariant } from "../invariant.ts";

/** How long an order may be open at the venue without a running bot knowing it, beyond the wait that a 429 told it. */
const ORPHAN_MS = 15_000;

/**
 * Every own order that is open at the venue is live in the bot. Nothing is placed while one that the disk lost is open and not found; with
 * durability `power` the disk loses none.
 */
export const noOrphan: Invariant = {
  name: "no-orphan",
  watch({ scenario, oracle, limitedUntilMs, faultsEndedMs, elapsedMs, isBotAlive }) {
    const since = new Map<OrderId, number>();
    /** Orders that the disk lost and that were open when the current run started, by id. One that reaches the venue later is a surprise. */
    let lost: readonly OrderId[] = [];
    const openIds = (): readonly OrderId[] => oracle.openAtVenue().map(({ orderId }) => orderId);
    return {
      runStarts() {
        since.clear();
        lost = openIds().filter((orderId) => oracle.lost.isUnfound(orderId));
      },
      entry({ effects, notes }) {
        const isAdopting = notes.some(
          // A foreign order of the time that the disk has lost is adopted as documented.
          (note) =>
            note.type === "warning" &&
            note.code === "ORDERS_ADOPTED" &&
            ![...oracle.foreign].some((orderId) => note.message.includes(orderId)),
        );
        if (isAdopting && scenario.durability === "power")
          return "the disk lost orders although they wait for it";
        // The step that finds an order may place another.
        if (lost.length === 0 || !effects.some(({ type }) => type === "place")) return undefined;
        const open = openIds();
        lost = lost.filter((orderId) => oracle.lost.isUnfound(orderId) && open.includes(orderId));
        const [first] = lost;
        return first === undefined
          ? undefined
          : `an order was placed while ${first}, which the disk lost, was open and not found`;
      },
      tick() {
        if (!isBotAlive()) {
          since.clear();
          return undefined;
        }
        const nowMs = elapsedMs();
        const unknown = openIds().filter(
          (orderId) =>
            oracle.orders.get(orderId) !== "live" &&
            // Orders that the disk lost are found only when the venue can be reached.
            (nowMs >= faultsEndedMs() || !oracle.lost.isUnfound(orderId)),
        );
        for (const orderId of since.keys()) if (!unknown.includes(orderId)) since.delete(orderId);
        for (const orderId of unknown) {
          const firstMs = since.get(orderId) ?? nowMs;
          since.set(orderId, firstMs);
          oracle.lasted("orphan", nowMs - firstMs);
          if (nowMs - Math.max(firstMs, limitedUntilMs()) > ORPHAN_MS) {
            return `${orderId} is open at the venue, in the bot it is ${oracle.orders.get(orderId) ?? "unknown"}`;
          }
        }
        return undefined;
      },
    };
  },
};
