import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { recordedSteps } from "../../src/backtest/recorded-step.ts";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { type BotConfig, loadBotConfig } from "../../src/config/load-bot-config.ts";
import { type Fixed, fixed, fixedFromNumber, fixedText } from "../../src/domain/fixed.ts";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { RecordedRules } from "../../src/recordings/manifest.ts";
import type { RecordedEvent, TextLevel } from "../../src/recordings/recorded-event.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import { Recording } from "../../src/recordings/recording.ts";
import bracketEntry from "../../strategies/bracket-entry.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { play } from "./hand-made.ts";

const root = path.resolve(import.meta.dirname, "../..");
const zilBot = await loadBotConfig(path.join(root, "test/data/replay-bot.yaml"));
const BTC_USDT = marketId("BTC", "USDT");
const [maker] = zilBot.strategies;
if (maker === undefined) throw new Error("one strategy");

/** A maker with quotes of 0.0123456 BTC at 0.001 % from the mid, which is much closer than this venue's tick. */
const config: BotConfig = {
  ...zilBot,
  models: {
    fills: defaultFills,
    latency: constantDelays({ entry: 1, response: 1, feed: 1 }),
    fees: zilBot.models.fees,
  },
  balances: { BTC: "10", USDT: "1000000" },
  strategies: [
    {
      ...maker,
      marketId: BTC_USDT,
      params: maker.definition.params.parse({
        bidSpread: "0.001%",
        askSpread: "0.001%",
        size: "0.0123456",
        refresh: "100ms",
        tolerance: "0",
      }),
    },
  ],
};

const START_MS = 1_767_225_600_000;
const TICK = fixed("0.01");
const LOT = fixed("0.00001");

/** Twenty seconds of a market near 61,837.63 with a tick of 0.01. The touch moves every 100 ms, and trades sweep many levels. */
function* recordedEvents(): Generator<RecordedEvent> {
  const at = (ms: number) => ({
    atUs: (START_MS + ms) * 1000,
    marketId: BTC_USDT,
    timeMs: unixMs(START_MS + ms),
  });
  const cents = (price: number): string => (price / 100).toFixed(2);
  const side = (best: number, step: number): TextLevel[] =>
    Array.from({ length: 100 }, (_, rank) => [
      cents(best + rank * step),
      (0.1 + rank / 1e5).toFixed(5),
    ]);
  let bids: TextLevel[] = [];
  let asks: TextLevel[] = [];
  for (let round = 0; round < 200; round += 1) {
    const bid = 6_183_763 + Math.round(40 * Math.sin(round / 7));
    const before = { bids, asks };
    bids = side(bid, -1);
    asks = side(bid + 20, 1);
    const id = round + 1;
    yield round === 0
      ? { type: "book", ...at(0), lastId: id, bids, asks }
      : {
          type: "depth",
          ...at(round * 100),
          firstId: id,
          finalId: id,
          bids: replaced(before.bids, bids),
          asks: replaced(before.asks, asks),
        };
    const isBuyerMaker = round % 2 === 0;
    yield {
      type: "trade",
      ...at(round * 100 + 50),
      tradeId: String(round + 1),
      price: cents(isBuyerMaker ? bid - 60 : bid + 80),
      quantity: "9.00003",
      isBuyerMaker,
    };
  }
}

/** The removed levels of the book before, followed by the levels of the book now. */
function replaced(before: readonly TextLevel[], now: readonly TextLevel[]): TextLevel[] {
  const prices = new Set(now.map(([price]) => price));
  return [
    ...before.flatMap(([price]): TextLevel[] => (prices.has(price) ? [] : [[price, "0"]])),
    ...now,
  ];
}

const folder = temporaryFolder();
const rules: RecordedRules = {
  tick: "0.01",
  lot: "0.00001",
  source: "inferred",
  fitsVenueGrid: false,
};

function record(
  name: string,
  known: RecordedRules | undefined,
  grid: "native" | "venue",
): Recording {
  const writer = new RecordingWriter(io, `${folder}/${name}`);
  for (const event of recordedEvents()) writer.append(event);
  writer.close();
  writer.writeManifest({
    format: "touchline-recording",
    version: 1,
    markets: [{ marketId: BTC_USDT, symbol: "BTCUSDT", grid, rules: known }],
    source: "made by hand",
  });
  return new Recording(io, `${folder}/${name}`);
}

let recording: Recording;
beforeAll(() => {
  recording = record("native", rules, "native");
});

const isWhole = (value: Fixed, step: Fixed): boolean => value % step === 0n;

/** Plays the recording, and returns prices and sizes of own orders and fills. */
function played(change: Partial<BotConfig>) {
  const setup = replaySetup({ ...config, ...change }, recording);
  const rejected: unknown[] = [];
  const fills: { readonly price: Fixed; readonly quantity: Fixed }[] = [];
  const { decided, end } = play(
    setup,
    recordedSteps(recording, setup.markets),
    {},
    {
      block: ({ orderEvents }) => {
        for (const { eventType, order, fill } of orderEvents) {
          if (eventType === "REJECTED") rejected.push(order);
          if (fill !== undefined) fills.push(fill);
        }
      },
    },
  );
  const orders = decided.flatMap(({ command }) =>
    command.type === "place"
      ? [{ price: fixedFromNumber(command.price), size: command.quantity }]
      : [],
  );
  return { setup, orders, fills, rejected, end };
}

describe("a replay of another venue's recording", () => {
  test("quotes and fills on the recording's tick and lot without rejections", () => {
    const { setup, orders, fills, rejected, end } = played({});
    expect(setup.markets[0]?.market.rules).toEqual({
      type: "fixed",
      tick: "0.01",
      lot: "0.00001",
    });
    expect(orders.length).toBeGreaterThan(50);
    expect(fills.length).toBeGreaterThan(20);
    expect(rejected).toEqual([]);
    for (const { price, size } of orders) {
      expect(isWhole(price, TICK)).toBe(true);
      expect(fixedText(size)).toBe("0.01234");
    }
    for (const { price, quantity } of fills) {
      expect(isWhole(price, TICK)).toBe(true);
      expect(isWhole(quantity, LOT)).toBe(true);
    }
    // At this price the venue's grid has whole USDT only, so these prices are off it.
    expect(orders.filter(({ price }) => !isWhole(price, fixed("1"))).length).toBeGreaterThan(50);
    expect(fills.some(({ price }) => !isWhole(price, fixed("1")))).toBe(true);
    for (const { held, deposited } of end.exchange.ledger.audit().values()) {
      expect(held).toBe(deposited);
    }
  });

  test("lets bracket-entry follow the mid when its size is not in whole lots", () => {
    const params = bracketEntry.params.parse({
      side: "buy",
      distance: "0.01%",
      size: "0.0123456",
      takeProfit: "1%",
      stopLoss: "1%",
      refresh: "100ms",
      tolerance: "0",
    });
    const strategy = { ...maker, marketId: BTC_USDT, definition: bracketEntry, params };
    const { orders } = played({ strategies: [strategy] });
    expect(orders.every(({ size }) => fixedText(size) === "0.01234")).toBe(true);
    // Taken for filled in part, the first entry would stay where it was.
    expect(new Set(orders.map(({ price }) => price)).size).toBeGreaterThan(20);
  });

  test("quotes on the venue's grid with priceGrid: venue, and leaves sizes unrounded", () => {
    const { setup, orders, fills, rejected } = played({ priceGrid: "venue" });
    expect(setup.markets[0]?.market.rules).toEqual({ type: "grid" });
    expect(orders.length).toBeGreaterThan(0);
    expect(rejected).toEqual([]);
    for (const { price, size } of orders) {
      expect(isWhole(price, fixed("1"))).toBe(true);
      expect(fixedText(size)).toBe("0.0123456");
    }
    // A fill may have a recorded order's price, but own orders are on the grid.
    expect(fills.every(({ price }) => isWhole(price, TICK))).toBe(true);
  });
});

describe("the rules of a replayed market", () => {
  const rulesFor = (priceGrid: BotConfig["priceGrid"], of: Recording) => {
    const { markets, warnings } = replaySetup({ ...config, priceGrid }, of);
    return { rules: markets[0]?.market.rules, warnings };
  };
  const fixedSpec = { type: "fixed", tick: "0.01", lot: "0.00001" };
  const grid = { type: "grid" };

  test("are native with auto if the recorded prices do not fit the grid, with a warning", () => {
    expect(rulesFor("auto", recording)).toEqual({
      rules: fixedSpec,
      warnings: [expect.stringContaining("tick 0.01 and lot 0.00001 (inferred)")],
    });
    const fitting = record("fitting", { ...rules, fitsVenueGrid: true }, "native");
    expect(rulesFor("auto", fitting)).toEqual({ rules: grid, warnings: [] });
    expect(rulesFor("native", fitting)).toEqual({ rules: fixedSpec, warnings: [] });
  });

  test("follow venue and native as written, without a warning", () => {
    expect(rulesFor("native", recording)).toEqual({ rules: fixedSpec, warnings: [] });
    expect(rulesFor("venue", recording)).toEqual({ rules: grid, warnings: [] });
  });

  test("are the venue's for a recording without price steps, which cannot be native", () => {
    const unknown = record("unknown", undefined, "native");
    expect(rulesFor("auto", unknown)).toEqual({ rules: grid, warnings: [] });
    expect(() => rulesFor("native", unknown)).toThrow(
      expect.objectContaining({ code: "NATIVE_GRID_UNKNOWN" }),
    );
  });

  test("are the venue's for a recording folded to its grid, with any priceGrid", () => {
    const folded = record("folded", undefined, "venue");
    for (const priceGrid of ["auto", "venue", "native"] as const) {
      expect(rulesFor(priceGrid, folded)).toEqual({ rules: grid, warnings: [] });
    }
  });

  test("include the recording's minimum size", () => {
    const stated = record("stated", { ...rules, source: "stated", minSize: "0.001" }, "native");
    expect(rulesFor("native", stated).rules).toEqual({ ...fixedSpec, minSize: "0.001" });
  });
});
