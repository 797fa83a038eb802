import { TouchlineError } from "../base/error.ts";
import { type MarketId, marketId } from "../domain/ids.ts";

/** Known quote symbols, longest first, since some are suffixes of others. */
const quotes = [
  "FDUSD",
  "USDT",
  "USDC",
  "BUSD",
  "TUSD",
  "USDP",
  "USDS",
  "BIDR",
  "IDRT",
  "DAI",
  "PAX",
  "VAI",
  "UST",
  "USD",
  "EUR",
  "GBP",
  "AUD",
  "BRL",
  "TRY",
  "RUB",
  "UAH",
  "ZAR",
  "NGN",
  "PLN",
  "RON",
  "ARS",
  "MXN",
  "CZK",
  "COP",
  "JPY",
  "KRW",
  "KAIA",
  "KLAY",
  "BTC",
  "ETH",
  "BNB",
  "TRX",
  "XRP",
  "DOT",
  "DOGE",
  "SOL",
].sort((left, right) => right.length - left.length);

/** `BASE_QUOTE` for a symbol such as `BTCUSDT`, `BTC-USD` or `eth/btc`; undefined when base and quote cannot be told apart. */
export function marketNameOf(symbol: string): MarketId | undefined {
  const upper = symbol.toUpperCase();
  const parts = upper.split(/[-/_]/);
  if (parts.length === 2) {
    const [base = "", quote = ""] = parts;
    return base === "" || quote === "" ? undefined : marketId(base, quote);
  }
  const quote = quotes.find((ending) => upper.length > ending.length && upper.endsWith(ending));
  if (parts.length !== 1 || quote === undefined) return undefined;
  return marketId(upper.slice(0, -quote.length), quote);
}

/** The market id of a symbol; the user's own names take precedence. Throws TouchlineError `MARKET_NAME_UNKNOWN`. */
export function nameMarket(symbol: string, own: ReadonlyMap<string, string>): MarketId {
  const name = own.get(symbol.toUpperCase()) ?? marketNameOf(symbol);
  if (name !== undefined) return name as MarketId;
  throw new TouchlineError(
    "MARKET_NAME_UNKNOWN",
    `Cannot tell base and quote of ${symbol} apart.`,
    {
      context: { symbol },
      hint: `Name it with --market ${symbol}=BASE_QUOTE.`,
    },
  );
}
