import type { Address, OrderId } from "../../domain/ids.ts";
import { unixMs } from "../../domain/time.ts";
import type { SessionRecord } from "../../exchange/session-book.ts";
import type { Invariant } from "../invariant.ts";
import type { SeenTransaction } from "../seen-transaction.ts";
import { isOrdering } from "../sent-commands.ts";

/** What the bot may be wrong about the venue's clock, and time for a stop to reach the commands that wait. */
const MARGIN_MS = 5_000;
/** A stop that begins in time cancels for as long, although a proxy's old answers may have set the bot's idea of the venue's clock back. */
const STOP_MS = 10_000;
/**
 * A kernel whose signature was refused this often in a row, the last time so long after the first, orders nothing (kernel/orders/signature.ts).
 * Refusals within less may come from a node that lags behind a new session, so an order after a pause finds out.
 */
const REFUSALS = 3;
const REFUSED_MS = 5_000;

/**
 * A session that the bot can know to have ended signs nothing: no order within `stopBefore` of its end, no command of a running bot after it, and no order
 * once the venue has refused the signature again and again. After the faults a session is active, and the venue accepts what the bot orders.
 */
export const sessionUse: Invariant = {
  name: "session-use",
  isOfBot: true,
  watch({ scenario: { session }, oracle, elapsedMs, venueNowMs, ...world }) {
    /** Who signed the command that made an order. */
    const signers = new Map<OrderId, Address>();
    let newest: Address | undefined;
    let refusals = 0;
    let refusedSinceMs = 0;
    let lastRefusedMs = 0;
    /** Since the faults ended, in the newest run: orders, by intent, except those that the bot held back itself, and accepted commands. */
    const ordered = new Set<number>();
    let accepted = 0;

    const cover = ({ command, hash, signer }: SeenTransaction & { readonly signer: Address }) => {
      if (newest !== signer) oracle.reach("session signs");
      newest = signer;
      signers.set(hash, signer);
      if (command.type !== "cancel" && command.type !== "modify") return;
      const placedBy = signers.get(command.orderId) ?? signer;
      if (placedBy !== signer) oracle.reach("order of an earlier session canceled");
    };
    const recordOf = (signer: Address): SessionRecord | undefined =>
      oracle.exchange
        .sessions(oracle.owner, unixMs(venueNowMs()))
        .find(({ sessionWallet }) => sessionWallet === signer);

    return {
      runStarts() {
        refusals = 0;
        // What a run before this one ordered with a session that the venue had lost says nothing about the new session.
        ordered.clear();
        accepted = 0;
      },
      request(transaction) {
        if (session === undefined || transaction?.signer === undefined) return undefined;
        const { command, signer } = transaction;
        if (command.type === "session") {
          oracle.reach(`session ${command.action}`);
          return undefined;
        }
        cover({ ...transaction, signer });
        // A venue that has lost its data knows no such session, and the bot has to find that out.
        const record = recordOf(signer);
        if (record === undefined) return undefined;
        // A start cancels with the session that it knows, until it has opened another one.
        const isStarting = world.startingSinceMs() !== undefined;
        if (command.type === "cancel" && isStarting) return undefined;
        const leftMs = record.expirySec * 1000 - venueNowMs();
        const leastMs = isOrdering(transaction)
          ? session.stopBeforeMs - MARGIN_MS
          : -MARGIN_MS - STOP_MS;
        const isHeld = elapsedMs() - world.blockedMs() <= MARGIN_MS;
        if (leftMs >= leastMs || isHeld) return undefined;
        return `a ${command.type} was signed ${Math.round(leftMs)} ms before the end of the session`;
      },
      entry({ batch: { inputs, nowMs }, effects }) {
        const orders = effects.filter(
          (effect) => effect.type === "place" || effect.type === "stop" || effect.type === "modify",
        );
        const [order] = orders;
        const isRefused = refusals >= REFUSALS && lastRefusedMs - refusedSinceMs >= REFUSED_MS;
        for (const input of inputs) {
          if (input.type !== "response") continue;
          const { intent, outcome } = input;
          if (outcome.type === "accepted") {
            refusals = 0;
            accepted += 1;
          } else if (outcome.type === "not-sent" && outcome.isHeldBack === true) {
            ordered.delete(intent);
          } else if (outcome.type === "refused" && outcome.reason === "unauthorized") {
            if (refusals === 0) refusedSinceMs = nowMs;
            refusals += 1;
            lastRefusedMs = nowMs;
          }
        }
        for (const { intent } of orders) ordered.add(intent);
        return session !== undefined && isRefused && refusals > 0 && order !== undefined
          ? `a ${order.type} was ordered after ${refusals} refusals of the signature`
          : undefined;
      },
      faultsEnded() {
        ordered.clear();
        accepted = 0;
        return undefined;
      },
      recovered() {
        if (session === undefined) return undefined;
        const sessions = oracle.exchange.sessions(oracle.owner, unixMs(venueNowMs()));
        if (!sessions.some(({ applied }) => applied))
          return "no session is active after the faults";
        // Quotes may rest for minutes, and a bot may be paused, or may have no strategy or funds to quote with.
        const isRefused = ordered.size > 0 || refusals > 0;
        return !isRefused || accepted > 0 || oracle.openAtVenue().length > 0
          ? undefined
          : "no quote rests, and the venue has accepted no command since the faults ended";
      },
    };
  },
};
