import { addFixed, fixedText, subFixed, ZERO } from "../../domain/fixed.ts";
import type { Invariant } from "../invariant.ts";

/** 4. At the end fills, position, fees and balances are the venue's. */
export const sameMoney: Invariant = {
  name: "same-money",
  watch({ witness }) {
    const { baseToken, quoteToken } = witness.market;
    const before = { base: witness.total(baseToken), quote: witness.total(quoteToken) };
    return {
      entry: () => {
        const repeated = witness.repeatedFills.pop();
        return repeated === undefined ? undefined : `trade ${repeated} was told twice`;
      },
      ended({ ok }) {
        // What a venue has forgotten cannot be compared.
        if (!ok || witness.hasForgotten) return undefined;
        const trades = witness.tradesAtVenue();
        if (trades.length !== witness.fills) {
          return `${witness.fills} fills, ${trades.length} at the venue`;
        }
        const fees = trades.reduce((sum, { fee }) => addFixed(sum, fee), ZERO);
        const known = [...witness.position.fees.values()].reduce(addFixed, ZERO);
        if (fees !== known) return `fees ${fixedText(known)}, ${fixedText(fees)} at the venue`;
        const base = subFixed(witness.total(baseToken), before.base);
        const quote = subFixed(witness.total(quoteToken), before.quote);
        const { position } = witness;
        if (base !== position.base || quote !== position.quote) {
          return `position ${fixedText(position.base)} and ${fixedText(position.quote)}, at the venue ${fixedText(base)} and ${fixedText(quote)}`;
        }
        return undefined;
      },
    };
  },
};
