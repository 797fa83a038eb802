import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { replay, type ReplayEnd, type ReplayWatcher } from "../../src/backtest/replay.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { usedModels } from "../../src/backtest/used-models.ts";
import { constantDelays, type LatencySettings } from "../../src/simulated/latency-model.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { type ModelSettings, venueModels } from "../../src/simulated/venue-models.ts";
import type { Command } from "../../src/domain/command.ts";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { momentsOf } from "../../src/recordings/candle.ts";
import type { ReplayEvent } from "../../src/recordings/recorded-gaps.ts";
import { type Decision, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { scripted } from "../kernel/harness.ts";
import { testKernelConfig } from "../support/kernel-config.ts";
import { ETH, ETH_USDT, funds, NOW, testAddress, testMarket } from "../support/exchange.ts";

const crypto = await loadCrypto();
export const keccak256 = (bytes: Uint8Array): Uint8Array => crypto.keccak256(bytes);

export const owner = testAddress(1);
export const market = testMarket({ makerFee: fixed("0.001"), takerFee: fixed("0.002") });
const flat = (levels: readonly number[]): Float64Array => Float64Array.from(levels);

/** A recorded book, `at` milliseconds after NOW. */
export const book = (at: number, bids: number[], asks: number[]): RecordedStep =>
  step(at, {
    type: "book",
    atMs: unixMs(NOW + at),
    snapshot: { ...span(at), lastId: at, bids: flat(bids), asks: flat(asks) },
  });
export const depth = (at: number, bids: number[], asks: number[]): RecordedStep =>
  step(at, {
    type: "depth",
    atMs: unixMs(NOW + at),
    event: { ...span(at), firstId: at, finalId: at, bids: flat(bids), asks: flat(asks) },
  });
export const trade = (
  at: number,
  price: number,
  quantity: number,
  isBuyerMaker: boolean,
): RecordedStep =>
  step(at, {
    type: "trade",
    atMs: unixMs(NOW + at),
    trade: { ...span(at), tradeId: String(at), price, quantity, isBuyerMaker },
  });

/** The two moments of a candle of a minute that begins `at` milliseconds after NOW. */
export function candle(
  at: number,
  prices: readonly [open: number, high: number, low: number, close: number],
  volume: number,
): RecordedStep[] {
  const [open, high, low, close] = prices;
  const [openMs, closeMs] = [unixMs(NOW + at), unixMs(NOW + at + 60_000)];
  const whole = { marketId: ETH_USDT, openMs, closeMs, open, high, low, close, volume };
  return momentsOf({ type: "candle", atMs: closeMs, candle: whole }).map((event) =>
    step(event.atMs - NOW, event),
  );
}

const span = (at: number) => ({ marketId: ETH_USDT, timeMs: unixMs(NOW + at) });
const step = (at: number, event: ReplayEvent): RecordedStep => ({
  atUs: (NOW + at) * 1000,
  atMs: unixMs(NOW + at),
  marketId: ETH_USDT,
  event,
});

/** A strategy that quotes once and then keeps its quotes. */
export function quoteOnce(
  bids: readonly [price: number, size: string][],
  asks: readonly [price: number, size: string][],
): (view: MarketView) => Decision {
  let isDone = false;
  const quotes = (side: readonly [number, string][]) =>
    side.map(([price, size]) => ({ price, size }));
  return () => {
    if (isDone) return keepQuotes();
    isDone = true;
    return setQuotes({ bids: quotes(bids), asks: quotes(asks) });
  };
}

/** Latency in milliseconds to the venue, and back for responses and market data. */
export const ways = (entry: number, back: number): LatencySettings =>
  constantDelays({ entry, response: back, feed: back });

export function setupOf(
  decide: (view: MarketView) => Decision,
  latency: LatencySettings = ways(10, 10),
  { fills = defaultFills, fees = marketFees, candles }: Partial<ModelSettings> = {},
): ReplaySetup {
  const ofCandles = candles === undefined ? {} : { candles };
  const models = venueModels({ fills, latency, fees, ...ofCandles }, "recording");
  return {
    kernel: testKernelConfig("replay", {
      owner,
      markets: [market],
      strategies: [
        {
          name: "maker",
          definition: scripted(decide),
          params: {},
          marketId: market.marketId,
          seed: 1,
        },
      ],
      rate: { perSecond: 1_000, burst: 1_000, concurrency: 100 },
    }),
    chainId: 1001,
    markets: [{ market, recordedId: market.marketId }],
    balances: funds("100", "100000"),
    models,
    usedModels: usedModels(models.settings, [market]),
    reportingCurrency: undefined,
    warnings: [],
  };
}

export interface Played {
  /** `time side quantity@price fee token` of each fill, with the time in milliseconds after NOW. */
  readonly fills: string[];
  readonly decided: { readonly command: Command; readonly txHash: OrderId; readonly at: number }[];
  readonly end: ReplayEnd;
}

/** Runs a whole replay, and records fills and commands. */
export function play(
  setup: ReplaySetup,
  steps: Iterable<RecordedStep>,
  options: { readonly fromMs?: number; readonly toMs?: number } = {},
  watcher: Partial<ReplayWatcher> = {},
): Played {
  const fills: Played["fills"] = [];
  const decided: Played["decided"] = [];
  const moments = replay({
    setup,
    steps,
    keccak256,
    ...options,
    watcher: {
      recorded: () => undefined,
      stepped: () => undefined,
      stopped: () => undefined,
      ...watcher,
      block: (block, orders, mid) => {
        watcher.block?.(block, orders, mid);
        for (const { fill } of block.orderEvents) {
          if (fill === undefined) continue;
          const token = fill.feeToken === ETH ? "base" : "quote";
          fills.push(
            `${fill.timeMs - NOW} ${fill.side} ${fixedText(fill.quantity)}@${fixedText(fill.price)} ${fixedText(fill.fee)} ${token}`,
          );
        }
      },
      decided: (command, txHash, nowMs) => {
        watcher.decided?.(command, txHash, nowMs);
        decided.push({ command, txHash, at: nowMs - NOW });
      },
    },
  });
  let moment = moments.next();
  while (moment.done !== true) moment = moments.next();
  return { fills, decided, end: moment.value };
}
