import { type Fixed, fixedText, parseFixed } from "../../../domain/fixed.ts";
import type { Market } from "../../../domain/market.ts";
import { endpoints } from "../../../spec/endpoints.ts";
import type { Check, Finding } from "../checkup.ts";

interface Holding {
  readonly name: string;
  readonly free: Fixed;
  readonly locked: Fixed;
}

/** Checks whether the account holds the tokens that its markets trade. */
export const balances: Check = {
  name: "balances",
  title: "balances",
  needs: ["clock", "markets"],
  async run({ client, config, results }) {
    const owner = results.owner ?? config.account?.owner;
    if (owner === undefined) {
      return [{ status: "skipped", message: "not checked: there is no account" }];
    }
    const tokens = await client.call(endpoints.tokens, {});
    const response = await client.call(endpoints.balance, { address: owner });
    const holdingOf = (token: string): Holding => {
      const row = response.balances.find(({ tokenId }) => tokenId === token);
      const symbol = tokens.find(({ tokenId }) => tokenId === token)?.l2Symbol;
      const amount = (text: string | undefined): Fixed => parseFixed(text ?? "0") ?? (0n as Fixed);
      return {
        name: symbol ?? `token ${token}`,
        free: amount(row?.unlocked),
        locked: amount(row?.locked),
      };
    };
    return results.markets.map((market) =>
      findingOf(market, [holdingOf(market.baseToken), holdingOf(market.quoteToken)], owner),
    );
  },
};

function findingOf(
  { marketId, ticker }: Market,
  holdings: readonly Holding[],
  owner: string,
): Finding {
  const details = {
    market: marketId,
    balances: holdings.map(({ name, free, locked }) => ({
      token: name,
      unlocked: fixedText(free),
      locked: fixedText(locked),
    })),
  };
  const missing = holdings.filter(({ free, locked }) => free === 0n && locked === 0n);
  const message = `${ticker}: ${holdings.map(amountText).join(", ")}`;
  if (missing.length === 0) return { status: "ok", message, details };
  const isBoth = missing.length === holdings.length;
  const names = missing.map(({ name }) => name).join(" or ");
  return {
    status: isBoth ? "problem" : "warning",
    message,
    hint: isBoth
      ? `${owner} has no ${names}: deposit or transfer some to it. A paper venue has a faucet.`
      : `Without ${names}, only one side can be quoted.`,
    details,
  };
}

function amountText({ name, free, locked }: Holding): string {
  const inOrders = locked === 0n ? "" : ` and ${fixedText(locked)} in orders`;
  return `${fixedText(free)} ${name}${inOrders}`;
}
