import { marketId } from "../../src/domain/ids.ts";
import type { ReplayEquity, ReplayFill, ReplayOrder } from "../../src/backtest/replay-tables.ts";
import type { ResultDocument } from "../../src/backtest/result-document.ts";

/** Rows and a document of a report, with only those values that a test is about. */

const own = { strategy: "maker", market: "1_2" } as const;

export function equityRow(values: Partial<ReplayEquity>): ReplayEquity {
  return {
    timeMs: 0,
    ...own,
    bid: null,
    ask: null,
    mid: "100",
    ownBid: null,
    ownAsk: null,
    position: "0",
    spread: "0",
    inventory: "0",
    fees: "0",
    pnl: "0",
    drawdown: "0",
    ...values,
  };
}

export function fillOf(values: Partial<ReplayFill>): ReplayFill {
  return {
    timeMs: 0,
    ...own,
    key: "1",
    side: "BUY",
    price: "100",
    quantity: "0.5",
    fee: "0",
    feeToken: "1",
    liquidity: "maker",
    orderId: "0x1",
    mid: "100",
    ...values,
  };
}

export function orderRow(values: Partial<ReplayOrder>): ReplayOrder {
  return {
    timeMs: 1_000,
    ...own,
    key: "1",
    side: "BUY",
    role: "quote",
    origin: "placed",
    price: "100",
    stopPrice: null,
    quantity: "0.5",
    executed: "0",
    status: "NEW",
    reason: "",
    orderId: "0x1",
    enteredMs: null,
    acknowledgedMs: null,
    firstFillMs: null,
    endedMs: null,
    queueAhead: null,
    mid: null,
    ...values,
  };
}

const markout = (bps: number) => ({
  midToMid: bps,
  midToMidError: 0.5,
  fillToMid: bps + 3,
  fillToMidError: null,
  orders: 2,
});
const horizons = { "1s": markout(-1), "5s": markout(-2), "10s": null, "30s": null };

export function reportDocument(values: Partial<ResultDocument> = {}): ResultDocument {
  return {
    event: "result",
    notModelled: ["nobody reacts to the bot."],
    ...counts,
    durationMs: 60_000,
    meanUptime: { bid: 1, ask: 1, obligation: null },
    requests: 8,
    requestsPerQuoteVolume: 0.1,
    foreignOrders: 0,
    pnl: { spread: "1", inventory: "-2", fees: "-0.5", total: "-1.5" },
    markouts: horizons,
    markoutsBySide: { buy: horizons, sell: horizons },
    fillRatio: 0.25,
    orderToTradeRatio: 3,
    commandsPerFilledOrder: 4,
    nothingAhead: 0.97,
    levels: [
      {
        key: "1",
        orders: 4,
        placed: "2",
        fills: 2,
        filled: "0.5",
        queueAhead: 1.5,
        markouts: { "1s": -0.5 },
      },
    ],
    reaction: {
      p50Ms: 120,
      p90Ms: 480,
      offTargetFills: 0.04,
      leavingFills: 0.02,
      leavingMaxMs: 10,
    },
    midAgeMs: { mean: 43, max: 100 },
    maxDrawdown: "2.5",
    inventoryStatistics: {
      mean: "0.1",
      meanAbsolute: "0.2",
      max: "0.5",
      min: "-0.5",
      timeAtLimit: 0.25,
      halfLifeMs: 12_000,
      turnoverPerHour: 5,
    },
    sharpe: { perHour: 1, low: -1, high: 3, intervalMs: 10_000, intervals: 6 },
    totals: null,
    models: {
      fills: { queue: "risk-averse", partialFills: true },
      latency: { entry: "20ms", response: "20ms", feed: "20ms" },
      fees: { markets: { "1_2": { maker: "0.0002", taker: "0.0005" } }, tiers: [] },
    },
    events: 10,
    levelChanges: 20,
    wallMs: 5,
    levelChangesPerSecond: 4_000,
    decisionsHash: "0x00",
    seed: 1,
    versions: { touchline: "0.1.0", node: "v26.0.0" },
    config: {
      strategies: [
        {
          name: "maker",
          plugin: "pure-market-making",
          market: marketId("1", "2"),
          seed: 1,
          params: { size: "500" },
          defaults: { levels: 1 },
        },
      ],
      balances: null,
      rateLimit: { perSecond: 20, burst: 40, concurrency: 8 },
      priceGrid: "auto",
      useModify: false,
    },
    recording: {
      source: "made by hand",
      notice: null,
      markets: [{ market: "1_2", recorded: "ETH_USDT", ticker: "ETH/USDT", symbol: "ETHUSDT" }],
      fromMs: 0,
      toMs: 60_000,
    },
    warnings: [],
    ...values,
  };
}

const counts = {
  quotesPlaced: 4,
  quotesKept: 0,
  quotesReplaced: 0,
  quotesModified: 0,
  quotesCanceled: 1,
  fills: 2,
  makerFills: 2,
  takerFills: 0,
  ordersRejected: 0,
  denied: [],
  takesPlaced: 0,
  stopsPlaced: 0,
  stopsTriggered: 0,
  volumeBase: "1",
  volumeQuote: "100",
  fees: {},
  inventory: {},
  realisedPnl: "0",
  unrealisedPnl: "0",
  uptimeBid: 1,
  uptimeAsk: 1,
  uptimeObligation: null,
  ordersLeft: 0,
  unknownOutcomes: 0,
  bookResyncs: 0,
} as const;
