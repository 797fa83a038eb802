import path from "node:path";
import { type BotConfig, loadBotConfig } from "../../src/config/load-bot-config.ts";
import { marketId } from "../../src/domain/ids.ts";

const file = path.join(import.meta.dirname, "../data/replay-bot.yaml");

/** About what a trade of the market has. */
const sizes: Readonly<Record<string, string>> = {
  BTCUSDT: "0.01",
  ETHUSDT: "0.1",
  "BTC-USD": "0.01",
  TRXUSDT: "500",
  ZILUSDT: "500",
  MANAUSDT: "100",
  DENTUSDT: "20000",
  ETHBRL: "0.05",
  BTCAUD: "0.005",
  LRCBTC: "100",
  NKNUSDT: "100",
};

/** Quantity of a quote in base token. */
export function quoteSize(symbol: string): string {
  return sizes[symbol] ?? "1";
}

/** A bot with `pure-market-making` in one market of a recording, with ample balances. */
export async function marketMaker(market: string, symbol: string): Promise<BotConfig> {
  const bot = await loadBotConfig(file);
  const [maker] = bot.strategies;
  if (maker === undefined) throw new Error("one strategy");
  const [base = "", quote = ""] = market.split("_");
  const params = maker.definition.params.parse({
    bidSpread: "0.005%",
    askSpread: "0.005%",
    size: quoteSize(symbol),
    refresh: "500ms",
    tolerance: "0.01%",
  });
  return {
    ...bot,
    balances: { [base]: "1000000000", [quote]: "1000000000" },
    strategies: [{ ...maker, marketId: marketId(base, quote), params }],
  };
}
