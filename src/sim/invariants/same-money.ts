import { addFixed, fixed, fixedText, subFixed, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import type { Fill } from "../../domain/order.ts";
import type { Invariant } from "../invariant.ts";

/**
 * At the end, fills, position, fees and balances equal the venue's, the bot's position over all its runs is their sum, and the
 * summary's inventory is that of the run's fills.
 */
export const sameMoney: Invariant = {
  name: "same-money",
  watch({ scenario, oracle, summaryOf }) {
    const { baseToken, quoteToken } = oracle.market;
    // The summary has the strategies of the configuration, and fills of a renamed one may come later.
    const isWhole = !scenario.yamlChanges;
    const before = { base: oracle.total(baseToken), quote: oracle.total(quoteToken) };
    return {
      entry: () => {
        const repeated = oracle.repeatedFills.pop();
        return repeated === undefined ? undefined : `trade ${repeated} was reported twice`;
      },
      ended({ ok, summary }) {
        for (const [token, known] of [
          [baseToken, oracle.runPosition.base],
          [quoteToken, oracle.runPosition.quote],
        ] as const) {
          const told = sumOf(summaryOf(summary).map(({ inventory }) => inventory[token]));
          if (isWhole && told !== undefined && told !== known) {
            return `the summary has an inventory of ${fixedText(told)} of token ${token}, the fills of the run sum to ${fixedText(known)}`;
          }
        }
        // Data that the venue lost cannot be compared, nor what orders traded that the disk lost.
        if (!ok || oracle.hasVenueLostData || oracle.hasUnseenStep) return undefined;
        const isKept = ({ orderId }: Pick<Fill, "orderId">): boolean => !oracle.lost.has(orderId);
        const all = oracle.tradesAtVenue();
        const trades = all.filter(isKept);
        const fills = oracle.fills.filter(isKept);
        if (trades.length !== fills.length) {
          return `${fills.length} fills, ${trades.length} at the venue`;
        }
        const fees = feesOf(trades);
        const known = feesOf(fills);
        if (fees !== known) return `fees ${fixedText(known)}, ${fixedText(fees)} at the venue`;
        const ofLost = all.filter((trade) => !isKept(trade));
        const atVenue = (token: TokenId, start: Fixed): Fixed =>
          subFixed(subFixed(oracle.total(token), start), oracle.changeBy(ofLost, token));
        const base = atVenue(baseToken, before.base);
        const quote = atVenue(quoteToken, before.quote);
        const position = {
          base: oracle.changeBy(fills, baseToken),
          quote: oracle.changeBy(fills, quoteToken),
        };
        if (base !== position.base || quote !== position.quote) {
          return `position ${fixedText(position.base)} and ${fixedText(position.quote)}, at the venue ${fixedText(base)} and ${fixedText(quote)}`;
        }
        const carried = sumOf(summaryOf(summary).map((fields) => fields.position?.base));
        const ofRuns = oracle.changeBy(
          oracle.fills.filter((fill) => !oracle.lost.hides(fill)),
          baseToken,
        );
        return !isWhole || carried === undefined || carried === ofRuns
          ? undefined
          : `the position over all runs is ${fixedText(carried)}, its fills make ${fixedText(ofRuns)}`;
      },
    };
  },
};

function feesOf(fills: readonly Pick<Fill, "fee">[]): Fixed {
  return fills.reduce((sum, { fee }) => addFixed(sum, fee), ZERO);
}

/** Undefined when none of the amounts is known. */
function sumOf(amounts: readonly (string | undefined)[]): Fixed | undefined {
  const known = amounts.flatMap((amount) => (amount === undefined ? [] : [fixed(amount)]));
  return known.length === 0 ? undefined : known.reduce(addFixed, ZERO);
}
