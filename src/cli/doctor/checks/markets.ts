import { marketIdsOf } from "../../../domain/market-roles.ts";
import { limitWarnings } from "../../../config/limit-warnings.ts";
import { currencyMistakes } from "../../../config/currency-mistakes.ts";
import { keyText } from "../../../config/problem.ts";
import { suggestion } from "../../../base/nearest.ts";
import { midOf } from "../../../domain/depth.ts";
import { fixedText, fixedToNumber } from "../../../domain/fixed.ts";
import type { Market } from "../../../domain/market.ts";
import { bookFrom, marketFrom } from "../../../gateway/from-wire.ts";
import { endpoints } from "../../../spec/endpoints.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";
import { withMarketIds } from "../../../domain/market-of-ticker.ts";
import { sourceMarkets } from "../../../kernel/sources/source-config.ts";
import { reviewAt } from "../../../runtime/warn-about-settings.ts";
import type { ResultOf } from "../../../spec/endpoint.ts";

/** Checks whether the strategies' markets exist and are active, and how the strategies judge their settings at the real fees. */
export const markets: Check = {
  name: "markets",
  title: "markets",
  needs: ["clock"],
  async run(checkup) {
    const { client, results } = checkup;
    const all = (await client.call(endpoints.market, {})).map(marketFrom);
    const config = withMarketIds(checkup.config, all);
    const wanted = new Set(marketIdsOf(config.strategies));
    results.markets = all.filter(({ marketId }) => wanted.has(marketId));
    const missing = [...wanted].filter((id) => all.every(({ marketId }) => marketId !== id));
    const absent = sourceMarkets(config.sources).filter(
      (id) => !wanted.has(id) && all.every(({ marketId }) => marketId !== id),
    );
    const findings: Finding[] = [...missing, ...absent].map((id) => unknown(id, all));
    const mistakes = missing.length > 0 ? [] : currencyMistakes(config);
    for (const { path, message } of mistakes) {
      const key = keyText(path);
      findings.push({ status: "problem", message: `${key}: ${message}`, details: { key } });
    }
    for (const message of limitWarnings(config, all)) findings.push({ status: "warning", message });
    for (const market of results.markets) {
      const { marketId } = market;
      const book = await client.call(endpoints.depth, { marketId, limit: 1 });
      findings.push(findingOf(market, book), ...reviews({ ...checkup, config }, market, book));
    }
    return findings;
  },
};

function unknown(id: string, all: readonly Market[]): Finding {
  const ids = all.map(({ marketId }) => marketId);
  return {
    status: "problem",
    message: `the venue has no market ${id}${suggestion(id, ids)}`,
    hint: `Correct the market. The venue has ${ids.slice(0, 8).join(", ")}${ids.length > 8 ? ", …" : ""}: touchline market list`,
    details: { market: id },
  };
}

type Book = ResultOf<typeof endpoints.depth>;

function findingOf(market: Market, book: Book): Finding {
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

function reviews({ config }: Checkup, market: Market, book: Book): readonly Finding[] {
  const mid = midOf(bookFrom(market.marketId, book));
  return config.strategies
    .filter(({ marketId }) => marketId === market.marketId)
    .flatMap((strategy) =>
      reviewAt(strategy, market, config.risk, mid).map(
        (warning): Finding => ({
          status: "warning",
          message: `${strategy.name}: ${warning}`,
          hint: "Change its params, unless this is intended.",
          details: { strategy: strategy.name },
        }),
      ),
    );
}

function percent(rate: number): string {
  return `${Number((rate * 100).toPrecision(12))}%`;
}
