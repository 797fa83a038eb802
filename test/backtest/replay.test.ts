import { NO_MESSAGE } from "../../src/kernel/freshness/needs.ts";
import type { Note } from "../../src/kernel/note.ts";
import { describe, expect, test } from "vitest";
import { ReplayRecorder } from "../../src/backtest/replay-recorder.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import { checksumAddress } from "../../src/spec/checksum-address.ts";
import { commandData } from "../../src/spec/transaction.ts";
import { encodeUnsigned } from "../support/transaction-bytes.ts";
import { toHex } from "../../src/base/hex.ts";
import { triggersSchema } from "../../src/risk/settings.ts";
import { type Decision, keepQuotes, noQuotes, setQuotes } from "../../src/strategy/contract.ts";
import type { MarketView } from "../../src/strategy/view.ts";
import { ETH_USDT, money, NOW } from "../support/exchange.ts";
import {
  book,
  depth,
  keccak256,
  market,
  owner,
  play,
  quoteOnce,
  setupOf,
  trade,
  ways,
} from "./hand-made.ts";

/**
 * Ten events around a bid of 2 at 100 and an ask of 2 at 101. With 10 ms each way the streams are open at 20; balances, open
 * orders and the book have arrived at 40; and the quotes are in the book at 50.
 */
const ten = (): RecordedStep[] => [
  book(0, [99, 5], [102, 5]),
  // Before the own bid arrives.
  trade(45, 100, 1, true),
  trade(60, 100, 1.5, true),
  // Behind the own ask in the queue.
  depth(70, [], [101, 3]),
  trade(80, 101, 1, false),
  // A recorded bid that crosses the remaining own ask.
  depth(90, [101, 2], [101, 0]),
  // Behind the remaining own bid in the queue.
  depth(100, [101, 0, 100, 4], []),
  trade(110, 100, 0.2, true),
  depth(120, [98, 1], []),
  depth(200, [98, 2], []),
];
const quotes = () => quoteOnce([[100, "2"]], [[101, "2"]]);
const fillsOfTen = [
  "60 BUY 1.5@100 0.0015 base",
  "80 SELL 1@101 0.101 quote",
  "90 SELL 1@101 0.101 quote",
  "110 BUY 0.2@100 0.0002 base",
];

const noMarkouts = Object.fromEntries(
  ["500ms", "1s", "5s", "10s", "30s", "60s", "300s"].map((horizon) => [horizon, null]),
);

/** The result line's fields of a hand-made replay. */
function resultOf(setup: ReplaySetup, steps: readonly RecordedStep[], options = {}) {
  const recorder = new ReplayRecorder(setup, keccak256);
  const { end } = play(setup, steps, options, {
    recorded: (step, isWarmUp) => recorder.recorded(step, isWarmUp),
    block: (block, orders, mid) => recorder.block(block, orders, mid),
    decided: (command, txHash, nowMs) => recorder.decided(command, txHash, nowMs),
    stepped: (step) => recorder.stepped(step),
    stopped: () => recorder.stopped(),
  });
  const result = recorder.result(end, 1_000);
  return { result, end, warnings: recorder.warnings.list(end, result) };
}

describe("a hand-made replay of ten events", () => {
  test("fills own orders by price and time, at the recorded times", () => {
    const { fills, decided, end } = play(setupOf(quotes()), ten());
    expect(fills).toEqual(fillsOfTen);
    expect(decided.map(({ command, at }) => [command.type, at])).toEqual([
      ["place", 40],
      ["place", 40],
      ["cancel", 200],
    ]);
    expect(end.finished).toMatchObject({ ok: true, reason: "asked to stop" });
    expect(end.ordersLeft).toEqual([]);
    expect([end.startMs, end.stopMs]).toEqual([NOW, NOW + 200]);
  });

  test("moves balances by the fills and conserves every token", () => {
    const { end } = play(setupOf(quotes()), ten());
    const { exchange } = end;
    const { baseToken, quoteToken } = market;
    // 100 + 1.5 + 0.2 − 2 − 0.0017, and 100000 − 170 + 202 − 0.202.
    expect(money(exchange, owner, baseToken)).toBe("99.6983/0");
    expect(money(exchange, owner, quoteToken)).toBe("100031.798/0");
    for (const { held, deposited } of exchange.ledger.audit().values()) {
      expect(held).toBe(deposited);
    }
  });

  test("has the expected result line", () => {
    const { result, warnings } = resultOf(setupOf(quotes()), ten());
    expect(result).toEqual({
      quotesPlaced: 2,
      quotesKept: 0,
      quotesReplaced: 0,
      quotesModified: 0,
      quotesCanceled: 1,
      fills: 4,
      makerFills: 4,
      takerFills: 0,
      volumeBase: "3.7",
      volumeQuote: "372",
      fees: { "1": "0.0017", "2": "0.202" },
      inventory: { "1": "-0.3017", "2": "31.798" },
      realisedPnl: expect.any(String),
      unrealisedPnl: expect.any(String),
      uptimeBid: 0,
      uptimeAsk: 0,
      uptimeObligation: null,
      meanUptime: { bid: 0, ask: 0, obligation: null },
      ordersLeft: 0,
      denied: [],
      ordersRejected: 0,
      takesPlaced: 0,
      stopsPlaced: 0,
      stopsTriggered: 0,
      unknownOutcomes: 0,
      bookResyncs: 0,
      durationMs: 240,
      // Two quotes, a cancel, the last list, and the clock, the book, the orders and the balances at the start.
      requests: 8,
      requestsPerQuoteVolume: 8 / 372,
      foreignOrders: 0,
      // Mids before the fills 100.5, 100, 100, 101: 0.75 + 1 + 1 + 0.2. The fees 0.0015 at 100.5, 0.0002 at 101. The mid ends at 101.
      pnl: { spread: "2.95", inventory: "-1.25075", fees: "-0.37295", total: "1.3263" },
      notModelled: [
        expect.stringContaining("nobody reacts"),
        expect.stringMatching(/^100 % of the maker fills had nothing ahead/),
        "2 filled orders: too few for a conclusion (under 100).",
      ],
      // The bid of two fills, and the ask of one; the others are not that old.
      markouts: { ...noMarkouts, "100ms": expect.objectContaining({ orders: 2 }) },
      markoutsBySide: {
        buy: { ...noMarkouts, "100ms": expect.objectContaining({ midToMid: 49.7512 }) },
        sell: { ...noMarkouts, "100ms": expect.objectContaining({ fillToMid: 0 }) },
      },
      midAgeMs: { mean: 25, max: 60 },
      nothingAhead: 1,
      // The first bid and the first ask; the mean by quantity of the two markouts below.
      levels: [
        {
          key: "1",
          orders: 2,
          placed: "4",
          fills: 4,
          filled: "3.7",
          queueAhead: 0,
          markouts: {
            "100ms": -35.8209,
            "500ms": null,
            "1s": null,
            "5s": null,
            "10s": null,
            "30s": null,
            "60s": null,
            "300s": null,
          },
        },
      ],
      reaction: {
        p50Ms: null,
        p90Ms: null,
        offTargetFills: 0,
        leavingFills: 0,
        leavingMaxMs: null,
      },
      fillRatio: 0.925,
      // Two placements and a cancel, four fills.
      orderToTradeRatio: 0.75,
      commandsPerFilledOrder: 1.5,
      // Of 200 ms: 20 at 1.4985, 10 at 0.4985, 20 at −0.5015 and 90 at −0.3017.
      inventoryStatistics: {
        mean: "-0.01114",
        meanAbsolute: "0.36069",
        max: "1.4985",
        min: "-0.5015",
        timeAtLimit: null,
        halfLifeMs: null,
        turnoverPerHour: expect.closeTo(3.7 / 0.36069 / (200 / 3_600_000), 3),
      },
      sharpe: null,
      totals: {
        currency: "2",
        pnl: { spread: "2.95", inventory: "-1.25075", fees: "-0.37295", total: "1.3263" },
        volume: "372",
        maxDrawdown: expect.any(String),
        sharpe: null,
      },
      models: {
        fills: { queue: "risk-averse", partialFills: true },
        latency: { entry: "10ms", response: "10ms", feed: "10ms" },
        fees: { markets: { "1_2": { maker: "0.001", taker: "0.002" } }, tiers: [] },
      },
      maxDrawdown: expect.any(String),
      events: 10,
      levelChanges: 7,
      wallMs: 1_000,
      levelChangesPerSecond: 7,
      decisionsHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      seed: 1,
    });
    const whole = Number(result.realisedPnl) + Number(result.unrealisedPnl);
    expect(whole).toBeCloseTo(1.3263, 15);
    expect(warnings).toEqual([]);
  });

  test("gives the same hash when repeated, and another with a different latency", () => {
    const hash = (entry: number) =>
      resultOf(setupOf(quotes(), ways(entry, 10)), ten()).result.decisionsHash;
    expect(hash(10)).toBe(hash(10));
    expect(hash(10)).not.toBe(hash(11));
  });
});

describe("latency", () => {
  test.each([
    [ways(0, 0), 0],
    [ways(10, 10), 40],
    // Streams open at 40; the responses arrive at 80.
    [ways(30, 10), 80],
    [ways(10, 30), 80],
  ])("%j: the quotes are decided after two round trips", (latency, at) => {
    const { decided } = play(setupOf(quotes(), latency), ten());
    expect(decided[0]?.at).toBe(at);
  });

  test("a slower command misses earlier trades, and queues behind earlier orders", () => {
    const slow = ways(30, 10);
    // The quotes arrive at 110, after that millisecond's trade, and queue behind the 3.8 that it leaves of the recorded 4. The
    // next depth event adds the 0.2 again, behind them.
    const late = [...ten().slice(0, 9), trade(130, 100, 4.5, true), depth(200, [98, 2], [])];
    expect(play(setupOf(quotes(), slow), late).fills).toEqual(["130 BUY 0.7@100 0.0007 base"]);
    const early = play(setupOf(quotes()), late).fills;
    expect(early).toEqual([...fillsOfTen, "130 BUY 0.3@100 0.0003 base"]);
  });

  test("a faster command trades with the event that the slower one misses", () => {
    const { fills } = play(setupOf(quotes(), ways(0, 0)), ten());
    expect(fills[0]).toBe("45 BUY 1@100 0.001 base");
  });
});

describe("the played time span", () => {
  test("starts the bot at `from` with the book of that time", () => {
    const { decided, end } = play(setupOf(quotes()), ten(), { fromMs: NOW + 100 });
    expect(end.startMs).toBe(NOW + 100);
    expect(decided.map(({ at }) => at).slice(0, 2)).toEqual([140, 140]);
    const { result } = resultOf(setupOf(quotes()), ten(), { fromMs: NOW + 100 });
    expect([result.events, result.levelChanges]).toEqual([4, 4]);
  });

  test("plays no event after `to`", () => {
    const { fills, end } = play(setupOf(quotes()), ten(), { toMs: NOW + 80 });
    expect(fills).toEqual(fillsOfTen.slice(0, 2));
    expect([end.stopMs, end.ordersLeft]).toEqual([NOW + 80, []]);
  });

  test("is an error when it has no events", () => {
    const empty = expect.objectContaining({ code: "REPLAY_EMPTY" });
    expect(() => play(setupOf(quotes()), [])).toThrow(empty);
    expect(() => play(setupOf(quotes()), ten(), { fromMs: NOW + 201 })).toThrow(empty);
    expect(() => play(setupOf(quotes()), ten(), { toMs: NOW - 1 })).toThrow(empty);
  });

  test.each([
    ["is later than --to", { fromMs: NOW + 100, toMs: NOW + 50 }],
    ["the recorded events end at", { fromMs: NOW + 201 }],
    ["the recorded events begin at", { toMs: NOW - 1 }],
    ["no event was recorded between", { fromMs: NOW + 1, toMs: NOW + 2 }],
  ])("that is empty: the error says that %s", (reason, span) => {
    expect(() => play(setupOf(quotes()), ten(), span)).toThrow(reason);
  });

  test("of a recording without events: the error says so", () => {
    const span = { fromMs: NOW, toMs: NOW + 1 };
    expect(() => play(setupOf(quotes()), [], span)).toThrow("no events of these markets");
  });
});

describe("the bot", () => {
  test("uses the hashes of the unsigned transactions as order ids", () => {
    const { decided } = play(setupOf(quotes()), ten());
    const [first] = decided;
    if (first?.command.type !== "place") throw new Error("a placement first");
    const context = `{"l1owner":"${checksumAddress(owner, keccak256)}","baseToken":"1","quoteToken":"2","side":0,"price":"100","quantity":"2","orderType":0,"orderMode":0}`;
    const unsigned = encodeUnsigned({
      chainId: 1001,
      nonce: NOW + 40,
      gasLimit: 0x30000,
      data: commandData(0x21, context),
    });
    expect(first.txHash).toBe(toHex(keccak256(unsigned)));
  });

  test("keeps its connection alive in a market without events for minutes", () => {
    const still = [...ten(), depth(300_000, [98, 3], [])];
    const pulled: string[] = [];
    const watcher = {
      stepped: ({ notes }: { notes: readonly Note[] }) => {
        for (const note of notes) {
          if (note.type === "quoteReason" && note.reason === NO_MESSAGE) pulled.push(note.reason);
        }
      },
    };
    const { fills, end } = play(setupOf(quotes()), still, {}, watcher);
    expect(fills).toEqual(fillsOfTen);
    expect(pulled).toEqual([]);
    expect(end.ordersLeft).toEqual([]);
  });

  test("wakes its strategy at the requested time", () => {
    const asked: number[] = [];
    const setup = setupOf((view) => {
      asked.push(view.nowMs - NOW);
      return keepQuotes({ wakeAtMs: view.nowMs + 50 });
    });
    play(setup, [book(0, [99, 5], [102, 5]), depth(1_000, [98, 1], [])]);
    expect(asked.slice(0, 4)).toEqual([40, 90, 140, 190]);
  });

  test("wakes a strategy that asks for the present time a millisecond later, without looping", () => {
    let count = 0;
    const setup = setupOf(({ nowMs }) => {
      count += 1;
      return keepQuotes({ wakeAtMs: nowMs });
    });
    play(setup, [book(0, [99, 5], [102, 5]), depth(100, [98, 1], [])]);
    expect(count).toBeGreaterThan(40);
    expect(count).toBeLessThan(70);
  });

  test("ends the replay early and cancels its orders when the strategy throws", () => {
    let count = 0;
    const setup = setupOf(() => {
      count += 1;
      if (count > 1) throw new Error("no idea");
      return setQuotes({ bids: [{ price: 98, size: "1" }] });
    });
    const { end, warnings } = resultOf(setup, ten());
    expect(end.finished).toMatchObject({ ok: false, reason: "every strategy failed" });
    expect(end.ordersLeft).toEqual([]);
    expect(end.stopMs).toBeLessThan(NOW + 200);
    const place = /^maker failed: no idea \(.*replay\.test\.ts:\d+:\d+\)$/;
    expect(warnings).toContainEqual(expect.stringMatching(place));
    expect(warnings).toContain("the bot stopped by itself: every strategy failed.");
  });

  test("warns with the reason when no quote was placed", () => {
    const { result, warnings } = resultOf(
      setupOf(() => noQuotes("too quiet")),
      ten(),
    );
    expect(result).toMatchObject({ quotesPlaced: 0, fillRatio: null, decisionsHash: "0x" });
    expect(warnings).toEqual(["maker in 1_2 placed no quotes (bids: too quiet; asks: too quiet)."]);
  });

  test("names the steps of the risk ladder", () => {
    const setup = setupOf(quotes());
    const bot = triggersSchema("bot").parse({ exposure: { warn: "0.001", halt: "1000000000" } });
    const ladder = { bot, strategies: {}, widenBy: 2 };
    const { result } = resultOf({ ...setup, kernel: { ...setup.kernel, ladder } }, ten());
    expect(result.riskSteps).toMatchObject([{ strategy: null, trigger: "exposure", step: "warn" }]);
  });

  test("has no PnL for base bought without any known mid", () => {
    const oneSided = [book(0, [], [102, 5]), trade(100, 101, 1, true), depth(200, [], [102, 6])];
    const setup = setupOf(quoteOnce([[101, "1"]], []));
    // Without a mid the price collar denies every order.
    const risk = { ...setup.kernel.risk, priceCollar: null };
    const { result } = resultOf({ ...setup, kernel: { ...setup.kernel, risk } }, oneSided);
    expect(result.pnl).toBe(null);
    expect(result.unrealisedPnl).toBe(null);
    expect(result.fills).toBe(1);
  });

  test("counts recorded levels that no order can have", () => {
    const odd = [...ten(), depth(210, [97.123456789, 1], [])];
    const { warnings } = resultOf(setupOf(quotes()), odd);
    expect(warnings).toEqual([
      expect.stringContaining("1 recorded levels and trades were ignored"),
    ]);
    expect(play(setupOf(quotes()), odd).end.exchange.hasMarket(ETH_USDT)).toBe(true);
  });
});

describe("a book that leaves the price collar", () => {
  const jumping = (): RecordedStep[] => [
    book(0, [99, 5], [102, 5]),
    trade(60, 100.5, 1, true),
    depth(200, [112, 5], [102, 0, 113, 5]),
    depth(300, [112, 6], []),
    trade(400, 112, 1, true),
    depth(500, [112, 7], []),
  ];
  const always = (view: MarketView): Decision =>
    setQuotes({
      bids: [{ price: (view.book.best("BUY")?.price ?? 0) - 1, size: "1" }],
      asks: [],
      wakeAtMs: view.nowMs + 20,
      wakeOn: "time",
    });

  test("is not quoted on until a trade confirms it, as in a live run, and the result says so", () => {
    const { decided } = play(setupOf(always), jumping());
    const commands = decided.map(({ command, at }) => [
      command.type,
      command.type === "place" ? command.price : "",
      at,
    ]);
    expect(commands.slice(0, 3)).toEqual([
      ["place", 98, 40],
      ["cancel", "", 410],
      ["place", 111, 410],
    ]);
    const { warnings } = resultOf(setupOf(always), jumping());
    expect(warnings).toEqual([
      expect.stringMatching(
        /^the recorded book of .* jumped beyond risk.priceCollar .* 112.5 .* as in a live run/,
      ),
    ]);
  });

  test("is left after staleBook when trades go on far from it", () => {
    const steps = jumping().slice(0, 4);
    for (let at = 400; at < 20_000; at += 500) steps.push(trade(at, 100.5, 1, true));
    const { warnings } = resultOf(setupOf(always), steps);
    expect(warnings).toContainEqual(expect.stringContaining("is not quoted any more"));
  });
});
