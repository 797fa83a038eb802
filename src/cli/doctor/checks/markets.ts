import { suggestion } from "../../../base/nearest.ts";
import { fixedText, fixedToNumber } from "../../../domain/fixed.ts";
import type { Market } from "../../../domain/market.ts";
import { marketFrom } from "../../../gateway/from-wire.ts";
import { endpoints } from "../../../spec/endpoints.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";
import { limitsFor } from "../../../risk/settings.ts";
import { reviewOf } from "../../../strategy/review.ts";

/** Checks whether the strategies' markets exist and are active, and how the strategies judge their settings at the real fees. */
export const markets: Check = {
  name: "markets",
  title: "markets",
  needs: ["clock"],
  async run(checkup) {
    const { client, config, results } = checkup;
    const all = (await client.call(endpoints.market, {})).map(marketFrom);
    const wanted = new Set(config.strategies.map(({ marketId }) => marketId));
    results.markets = all.filter(({ marketId }) => wanted.has(marketId));
    const missing = [...wanted].filter((id) => all.every(({ marketId }) => marketId !== id));
    const findings: Finding[] = missing.map((id) => unknown(id, all));
    for (const market of results.markets) findings.push(await findingOf(checkup, market));
    return [...findings, ...reviews(checkup)];
  },
};

function unknown(id: string, all: readonly Market[]): Finding {
  const ids = all.map(({ marketId }) => marketId);
  return {
    status: "problem",
    message: `the venue has no market ${id}${suggestion(id, ids)}`,
    hint: `Correct the market of the strategy. The venue has ${ids.slice(0, 8).join(", ")}${ids.length > 8 ? ", …" : ""}: touchline market list`,
    details: { market: id },
  };
}

async function findingOf({ client }: Checkup, market: Market): Promise<Finding> {
  const { marketId, ticker, listed } = market;
  const [maker, taker] = [fixedToNumber(market.makerFee), fixedToNumber(market.takerFee)];
  const details = {
    market: marketId,
    ticker,
    listed,
    makerFee: fixedText(market.makerFee),
    takerFee: fixedText(market.takerFee),
  };
  const name = `${marketId} ${ticker}`;
  if (!listed) {
    return {
      status: "problem",
      message: `${name} is not active at the venue`,
      hint: "The venue accepts no orders there: choose another market.",
      details,
    };
  }
  const book = await client.call(endpoints.depth, { marketId, limit: 1 });
  const empty = [
    ...(book.bids.length === 0 ? ["bids"] : []),
    ...(book.asks.length === 0 ? ["asks"] : []),
  ];
  const fees = `maker fee ${percent(maker)}, taker fee ${percent(taker)}`;
  if (empty.length === 0) return { status: "ok", message: `${name}: ${fees}`, details };
  return {
    status: "warning",
    message: `${name}: ${fees}; its book has no ${empty.join(" and no ")} now`,
    hint: "Strategies that need the mid wait until there are orders on both sides.",
    details,
  };
}

function reviews({ config, results }: Checkup): readonly Finding[] {
  return config.strategies.flatMap(({ name, definition, params, marketId }) => {
    const market = results.markets.find((each) => each.marketId === marketId);
    if (market === undefined) return [];
    const fees = {
      makerFee: fixedToNumber(market.makerFee),
      takerFee: fixedToNumber(market.takerFee),
    };
    const { priceCollar } = limitsFor(config.risk, marketId);
    return reviewOf(definition, { params, ...fees, priceCollar }).map(
      (warning): Finding => ({
        status: "warning",
        message: `${name}: ${warning}`,
        hint: "Change its params, unless this is intended.",
        details: { strategy: name },
      }),
    );
  });
}

function percent(rate: number): string {
  return `${Number((rate * 100).toPrecision(12))}%`;
}
