import { fixedText } from "../../domain/fixed.ts";
import { rulesOf } from "../../domain/rules-of.ts";
import type { Invariant } from "../invariant.ts";
import { isOrdering } from "../sent-commands.ts";

/**
 * No nonce of a signer signs two commands, also of two runs while the venue's clock does not go back; the bytes of an order leave once; prices
 * and sizes are legal. Cancels that no journal was given do not count: the next process knows nothing of them, and takes another nonce when the
 * venue refuses one.
 */
export const oneNonceOneCommand: Invariant = {
  name: "one-nonce-one-command",
  isOfBot: true,
  watch({ oracle, appendedMs }) {
    const rulesIn = new Map(
      oracle.exchange.markets.map((market) => [market.marketId, rulesOf(market)]),
    );
    /** Bytes by signer and nonce. */
    const signed = new Map<string, string>();
    return {
      runStarts() {
        // Of the nonces of an earlier run only the highest is known, and after the venue's clock went back those below it are taken: the
        // venue refuses one that was used (docs/decisions/015).
        if (oracle.hasVenueClockGoneBack) signed.clear();
      },
      request(transaction) {
        if (transaction === undefined || appendedMs(transaction.bytesHex) === undefined) {
          return undefined;
        }
        const { signer = "", nonce, bytesHex } = transaction;
        const key = `${signer} ${nonce}`;
        const known = signed.get(key);
        signed.set(key, known ?? bytesHex);
        if (known === undefined) return undefined;
        if (known !== bytesHex) return `nonce ${nonce} signs two commands`;
        // Starts and watchdogs may sign the same cancel twice.
        return isOrdering(transaction) ? `the order of nonce ${nonce} leaves twice` : undefined;
      },
      entry({ effects }) {
        for (const effect of effects) {
          if (effect.type !== "place" && effect.type !== "stop") continue;
          const { quantity } = effect;
          const rules = rulesIn.get(effect.marketId);
          const market = effect.type === "stop" ? effect.stopPrice : (effect.take?.worst ?? 0);
          const price = effect.price === 0 ? market : effect.price;
          if (rules?.isLegal(price) !== true) return `placed at the illegal price ${price}`;
          if (quantity < rules.minSizeAt(price))
            return `placed ${fixedText(quantity)} at ${price}, too small`;
        }
        return undefined;
      },
    };
  },
};
