import { TouchlineError } from "../base/error.ts";
import { type MarketId, marketId } from "../domain/ids.ts";

/** Known quote symbols. Some are suffixes of others. */
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
] as const;

/** Bases that tell which of two readings is right, beside those that are quotes as well. */
const bases: ReadonlySet<string> = new Set([
  ...quotes,
  ..."XBT WBTC STETH LTC BCH ADA AVAX LINK MATIC POL UNI ATOM XLM ETC FIL NEAR APT ARB OP SUI SHIB PEPE TON XMR ZEC DASH EOS HBAR ICP AAVE".split(
    " ",
  ),
]);

/** The ways to read a symbol such as `BTCUSDT`, `BTC-USD` or `eth/btc` as `BASE_QUOTE`: none, one, or several as for `BATUSD`. */
function marketReadings(symbol: string): readonly MarketId[] {
  const upper = symbol.toUpperCase();
  const parts = upper.split(/[-/_]/);
  if (parts.length === 2) {
    const [base = "", quote = ""] = parts;
    return base === "" || quote === "" ? [] : [marketId(base, quote)];
  }
  if (parts.length !== 1) return [];
  const readings = quotes
    .filter((ending) => upper.length > ending.length && upper.endsWith(ending))
    .map((quote) => ({ base: upper.slice(0, -quote.length), quote }));
  const known = readings.filter(({ base }) => bases.has(base));
  const likely = known.length > 0 ? known : readings;
  return likely.map(({ base, quote }) => marketId(base, quote));
}

/** `BASE_QUOTE` for a symbol; undefined when base and quote cannot be told apart. */
export function marketNameOf(symbol: string): MarketId | undefined {
  const [only, second] = marketReadings(symbol);
  return second === undefined ? only : undefined;
}

/** The symbol with which a file's name begins: of `BTCUSDT-1h.csv`, or of `BTC-USDT-1h.csv`, whose first word alone is no market. */
export function symbolOfFile(name: string): string {
  const [, first = name, second = ""] =
    /^([A-Za-z0-9]+)(?:[-_]([A-Za-z]+)(?![A-Za-z0-9]))?/.exec(name) ?? [];
  const hasQuote = quotes.some((quote) => quote === second.toUpperCase());
  return hasQuote && marketReadings(first).length === 0 ? `${first}-${second}` : first;
}

/** The market id of a symbol; the user's own names take precedence. Throws TouchlineError `MARKET_NAME_UNKNOWN`. */
export function nameMarket(symbol: string, own: ReadonlyMap<string, string>): MarketId {
  const name = own.get(symbol.toUpperCase()) ?? marketNameOf(symbol);
  if (name !== undefined) return name as MarketId;
  const readings = marketReadings(symbol);
  const reason = readings.length > 1 ? `: it may be ${readings.join(" or ")}` : "";
  throw new TouchlineError(
    "MARKET_NAME_UNKNOWN",
    `Cannot tell base and quote of ${symbol} apart${reason}.`,
    {
      context: { symbol },
      hint: `Name it with --market ${symbol}=${readings[0] ?? "BASE_QUOTE"}.`,
    },
  );
}
