import { addFixed, fixed, fixedText, subFixed, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { TokenId } from "../../domain/ids.ts";
import type { Fill } from "../../domain/order.ts";
import type { Summary, SummaryFields } from "../../metrics/summary.ts";
import type { Invariant } from "../invariant.ts";

/**
 * At the end, fills, fees and balances equal the venue's, and the position over all runs is theirs. The summary says of the run what its fills
 * make, and its PnL is that of average cost. An order that a power cut took and that this run found has all its fills in this run.
 */
export const sameMoney: Invariant = {
  name: "same-money",
  watch({ scenario, oracle, summaryOf }) {
    const { baseToken, quoteToken } = oracle.market;
    const { money, lost } = oracle;
    // The summary has the strategies of the configuration, and fills of a renamed one may come later.
    const isWhole = !scenario.yamlChanges;
    const isOneStrategy = isWhole && !scenario.hasSecondStrategy;
    const before = { base: oracle.total(baseToken), quote: oracle.total(quoteToken) };
    /** Of the parts of several strategies in one market. */
    const sharedProblem = (
      { strategies = [] }: Summary,
      parts: readonly SummaryFields[],
    ): string | undefined => {
      if (!isWhole) return undefined;
      const rows =
        scenario.secondMarket === undefined
          ? strategies
          : strategies.filter((row) => parts.includes(row));
      for (const { name, position, ...part } of rows) {
        // A paired strategy has a row in each of its markets.
        const [strategy = name] = name.split("/");
        const inRun = money.runOf.get(strategy)?.pnlDifference(part);
        if (inRun !== undefined) return `the summary of ${name} has ${inRun}`;
        if (oracle.hasJournalGap || position === undefined || position === null) continue;
        const inAll = money.allOf.get(strategy)?.pnlDifference(position);
        if (inAll !== undefined) return `the position of ${name} over all runs has ${inAll}`;
      }
      return undefined;
    };
    const summaryProblem = (parts: readonly SummaryFields[]): string | undefined => {
      if (!isWhole) return undefined;
      for (const [token, known] of [
        [baseToken, money.run.position.base],
        [quoteToken, money.run.position.quote],
      ] as const) {
        const told = sumOf(parts.map(({ inventory }) => inventory[token]));
        if (told !== undefined && told !== known) {
          return `the summary has an inventory of ${fixedText(told)} of token ${token}, the fills of the run sum to ${fixedText(known)}`;
        }
      }
      const [only] = parts;
      const problem =
        money.run.differenceTo(parts) ??
        (isOneStrategy && only !== undefined ? money.run.pnlDifference(only) : undefined);
      return problem && `the summary has ${problem}`;
    };
    /** Of the position over all runs, as far as the bot and the oracle know the same fills in the same order. */
    const allRunsProblem = (parts: readonly SummaryFields[], trades: readonly Fill[]) => {
      const carried = sumOf(parts.map(({ position }) => position?.base));
      const ofRuns = oracle.changeBy(trades, baseToken);
      if (carried !== undefined && carried !== ofRuns) {
        return `the position over all runs is ${fixedText(carried)}, its fills make ${fixedText(ofRuns)}`;
      }
      const position = parts[0]?.position;
      if (!isOneStrategy || oracle.hasJournalGap || position === undefined || position === null) {
        return undefined;
      }
      const problem = money.all.pnlDifference(position);
      return problem && `the position over all runs has ${problem}`;
    };
    return {
      entry: () => {
        const repeated = money.repeated.pop();
        return repeated === undefined ? undefined : `trade ${repeated} was reported twice`;
      },
      ended({ ok, summary }) {
        const parts = summaryOf(summary);
        const problem = summaryProblem(parts) ?? sharedProblem(summary, parts);
        if (problem !== undefined || !ok) return problem;
        const all = oracle.tradesAtVenue();
        const unread = all.find(
          (trade) => lost.wasFoundInRun(trade.orderId) && !money.hasInRun(trade),
        );
        if (unread !== undefined) {
          return `${unread.orderId}, which the disk lost, was found without its trade ${unread.tradeId}`;
        }
        // No strategy has fills of an order that the disk lost: the next run adopts it.
        const isKept = ({ orderId }: Pick<Fill, "orderId">): boolean => !lost.has(orderId);
        const trades = all.filter(isKept);
        const ofRuns = isWhole ? allRunsProblem(parts, trades) : undefined;
        if (ofRuns !== undefined) return ofRuns;
        const fills = money.fills.filter(isKept);
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
        const different = fills.find((fill) => !trades.some((trade) => isSameFill(fill, trade)));
        return different && `trade ${different.tradeId} is another one at the venue`;
      },
    };
  },
};

function isSameFill(fill: Fill, trade: Fill): boolean {
  return (
    ["orderId", "tradeId", "side", "price", "quantity", "fee", "feeToken", "isMaker"] as const
  ).every((name) => fill[name] === trade[name]);
}

function feesOf(fills: readonly Pick<Fill, "fee">[]): Fixed {
  return fills.reduce((sum, { fee }) => addFixed(sum, fee), ZERO);
}

/** Undefined when none of the amounts is known. */
function sumOf(amounts: readonly (string | undefined)[]): Fixed | undefined {
  const known = amounts.flatMap((amount) => (amount === undefined ? [] : [fixed(amount)]));
  return known.length === 0 ? undefined : known.reduce(addFixed, ZERO);
}
