import path from "node:path";
import { describe, expect, test } from "vitest";
import { recordedSteps } from "../../src/backtest/recorded-step.ts";
import { ReplayDetails } from "../../src/backtest/replay-details.ts";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { replaySteps, runReplay } from "../../src/backtest/run-replay.ts";
import { type BotConfig, loadBotConfig } from "../../src/config/load-bot-config.ts";
import { fixed, fixedText, subFixed, ZERO } from "../../src/domain/fixed.ts";
import { marketId, type TokenId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Fill } from "../../src/domain/order.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { SourceWriter } from "../../src/recordings/source-file.ts";
import type { SourceSettings } from "../../src/config/sources-config.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { keccak256, play } from "./hand-made.ts";

const root = path.resolve(import.meta.dirname, "../..");
const config = await loadBotConfig(path.join(root, "test/data/replay-bot.yaml"));
const recording = new Recording(io, path.join(root, "config/recordings/zilusdt"));
const [maker] = config.strategies;
if (maker === undefined) throw new Error("one strategy");

const unknownFees = { models: { ...config.models, fees: marketFees } };
const delays = (entry: number, response: number, feed: number) => ({
  models: {
    fills: defaultFills,
    latency: constantDelays({ entry, response, feed }),
    fees: config.models.fees,
  },
});

/** Time of receipt of the sample's first depth event. */
const first = Date.parse("2021-04-05T18:33:23.816Z");

async function run(
  { details, ...change }: Partial<BotConfig> & { readonly details?: ReplayDetails } = {},
  span: { fromMs?: number; toMs?: number } = {},
) {
  const report = await runReplay({
    config: { ...config, ...change },
    details,
    recording,
    keccak256,
    clock: systemClock,
    pause: async () => undefined,
    ...span,
  });
  const { wallMs, levelChangesPerSecond, ...result } = report.result;
  return { ...report, result, speed: { wallMs, levelChangesPerSecond } };
}

describe("ZILUSDT of set 04", () => {
  test("a market maker quotes, is filled and leaves no open orders", async () => {
    const { result, warnings, finished, speed } = await run();
    expect(finished?.ok).toBe(true);
    expect(warnings).toEqual([]);
    expect(result).toMatchObject({
      events: 1310,
      levelChanges: 3905,
      takerFills: 0,
      ordersRejected: 0,
      ordersLeft: 0,
      unknownOutcomes: 0,
      bookResyncs: 0,
      seed: 7,
    });
    expect(result.fills).toBeGreaterThan(20);
    expect(result.uptimeBid).toBeGreaterThan(0.95);
    expect(result.uptimeAsk).toBeGreaterThan(0.95);
    expect(result.uptimeObligation).toBeNull();
    expect(result.strategies).toBeUndefined();
    expect(speed.levelChangesPerSecond).toBeGreaterThan(0);
  });

  test("the time within an obligation is less the more it asks, and never more than the uptime", async () => {
    const share = async (spread: number, size: string): Promise<number> => {
      const obligation = { spread, size: fixed(size) };
      const { result } = await run({ strategies: [{ ...maker, obligation }] });
      expect(result.uptimeObligation).toBeLessThanOrEqual(Number(result.uptimeBid));
      return result.uptimeObligation ?? Number.NaN;
    };
    expect(await share(0.05, "500")).toBeGreaterThan(0.5);
    expect(await share(0.05, "100000")).toBe(0);
    expect(await share(0.000001, "500")).toBe(0);
  });

  test("the fill ratio is that of the table of orders, also where fills came before a modify", async () => {
    const details = new ReplayDetails();
    const { result } = await run({ details, execution: { useModify: true } });
    const quotes = details.tables.orders.filter(({ role }) => role === "quote");
    const smaller = quotes.filter(({ quantity }) => quantity !== "500");
    expect(smaller.map(({ origin }) => origin)).toContain("modify");
    const sum = (texts: readonly string[]) => texts.reduce((all, text) => all + Number(text), 0);
    const placed = sum(quotes.map(({ quantity }) => quantity));
    const executed = sum(quotes.map((quote) => quote.executed));
    expect(result.fillRatio).toBeCloseTo(executed / placed, 6);
  });

  test("the parts of the PnL add up to realised and unrealised", async () => {
    const { result } = await run();
    const { pnl, realisedPnl, unrealisedPnl } = result;
    if (pnl === null || realisedPnl === null || unrealisedPnl === null) throw new Error("a PnL");
    const sum = (...texts: string[]) => texts.reduce((all, text) => all + fixed(text), 0n);
    expect(sum(pnl.spread, pnl.inventory, pnl.fees)).toBe(fixed(pnl.total));
    // Each of the two is rounded to 18 decimals.
    const difference = sum(realisedPnl, unrealisedPnl) - fixed(pnl.total);
    expect(difference < 2n * 10n ** 8n && difference > -2n * 10n ** 8n).toBe(true);
  });

  test("two replays are equal to the last digit, and a parameter or the latency changes the result", async () => {
    const once = await run();
    expect((await run()).result).toEqual(once.result);
    const wider = { ...maker, params: { ...Object(maker.params), bidSpread: 0.0004 } };
    const others = [
      await run({ strategies: [wider] }),
      await run(delays(21, 20, 20)),
      await run({ balances: { ZIL: "600", USDT: "10000" } }),
    ];
    const hashes = [once, ...others].map(({ result }) => result.decisionsHash);
    expect(new Set(hashes).size).toBe(4);
  });

  test("quotes move by modify only with useModify: true", async () => {
    const modes = [undefined, { useModify: false }, { useModify: true }];
    const results = [];
    for (const execution of modes) {
      results.push((await run(execution === undefined ? {} : { execution })).result);
    }
    const [unset, never, always] = results;
    expect(unset).toEqual(never);
    expect(never?.quotesModified).toBe(0);
    expect(always?.quotesModified).toBeGreaterThan(0);
  });

  test("fills happen only where the recording traded or quoted", () => {
    const setup = replaySetup(config, recording);
    /** Best prices at which other accounts would trade during this call of the exchange. */
    let reach = { BUY: 0, SELL: Number.POSITIVE_INFINITY };
    const fills: (readonly [Fill, typeof reach])[] = [];
    const waiting: Fill[] = [];
    const { end } = play(
      setup,
      recordedSteps(recording, setup.markets),
      {},
      {
        block: ({ orderEvents }) => {
          for (const { fill } of orderEvents) if (fill !== undefined) waiting.push(fill);
        },
        recorded: ({ event }) => {
          if (event.type === "gap" || event.type === "open" || event.type === "candle") return;
          reach = { BUY: 0, SELL: Number.POSITIVE_INFINITY };
          if (event.type === "trade") {
            if (event.trade.isBuyerMaker) reach.SELL = event.trade.price;
            else reach.BUY = event.trade.price;
          } else {
            const { bids, asks } = event.type === "depth" ? event.event : event.snapshot;
            for (let at = 0; at < bids.length; at += 2) {
              if ((bids[at + 1] ?? 0) > 0) reach.BUY = Math.max(reach.BUY, bids[at] ?? 0);
            }
            for (let at = 0; at < asks.length; at += 2) {
              if ((asks[at + 1] ?? 0) > 0) reach.SELL = Math.min(reach.SELL, asks[at] ?? 0);
            }
          }
          for (const fill of waiting.splice(0)) fills.push([fill, reach]);
        },
      },
    );
    expect(fills.length).toBeGreaterThan(20);
    for (const [fill, { BUY, SELL }] of fills) {
      expect(fill.isMaker).toBe(true);
      const price = Number(fixedText(fill.price));
      // A seller asked at most the own bid's price; a buyer bid at least the own ask's price.
      if (fill.side === "BUY") expect(SELL).toBeLessThanOrEqual(price);
      else expect(BUY).toBeGreaterThanOrEqual(price);
    }
    for (const { held, deposited } of end.exchange.ledger.audit().values()) {
      expect(held).toBe(deposited);
    }
  });

  test("the final balances are the starting balances plus the fills", async () => {
    const setup = replaySetup(config, recording);
    const { end } = play(setup, recordedSteps(recording, setup.markets));
    const { result } = await run();
    for (const { tokenId: token, locked, unlocked } of end.exchange.balances(setup.kernel.owner)) {
      const before = setup.balances.get(token) ?? ZERO;
      expect(locked).toBe(ZERO);
      expect(fixedText(subFixed(unlocked, before))).toBe(result.inventory[token]);
    }
  });

  test("from and to limit the played events", async () => {
    const span = { fromMs: first + 30_000, toMs: first + 60_000 };
    const { result, finished } = await run({}, span);
    expect(finished?.ok).toBe(true);
    expect(result.events).toBeGreaterThan(100);
    expect(result.events).toBeLessThan(700);
    expect(result.durationMs).toBeGreaterThan(29_000);
    expect(result.durationMs).toBeLessThan(30_500);
    expect(result.fills).toBeGreaterThan(0);
  });

  test("two strategies have figures of their own and a total", async () => {
    const second = { ...maker, name: "second", seed: 8 };
    const { result } = await run({ strategies: [maker, second] });
    const [one, two] = result.strategies ?? [];
    expect([one?.name, one?.seed, two?.name, two?.seed]).toEqual(["zil-maker", 7, "second", 8]);
    expect((one?.fills ?? 0) + (two?.fills ?? 0)).toBe(result.fills);
    const total = fixed(one?.pnl?.total ?? "0") + fixed(two?.pnl?.total ?? "0");
    expect(total).toBe(fixed(result.pnl?.total ?? "0"));
  });

  test("strategies in two markets with unrelated quote tokens have no total PnL", async () => {
    const { result } = await runTwoMarkets("1_2");
    expect(result.totals).toBeNull();
    expect([result.pnl, result.markouts, result.fillRatio, result.realisedPnl]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(result.events).toBe(2 * 1310);
    const [one, two] = result.strategies ?? [];
    expect(one?.pnl).not.toBeNull();
    // The markets are independent, but share the rate budget and the order of requests.
    expect(two?.fills).toBeGreaterThan(20);
  });
});

/** A second strategy in another market, which plays the same recorded one. */
const runTwoMarkets = (marketId: string, reportingCurrency?: TokenId) => {
  const balances = { ...config.balances, "1": "50000", "2": "10000" };
  const second = { ...maker, name: "second", marketId: marketId as typeof maker.marketId };
  return runReplay({
    config: { ...config, balances, strategies: [maker, second], reportingCurrency },
    recording,
    keccak256,
    clock: systemClock,
    pause: async () => undefined,
    names: new Map([[marketId, "ZILUSDT"]]),
  });
};

describe("totals of several markets", () => {
  test("are sums to the last digit in a quote token that all markets share", async () => {
    const { result } = await runTwoMarkets("1_USDT");
    const [one, two] = result.strategies ?? [];
    const { totals } = result;
    expect(totals?.currency).toBe("USDT");
    for (const part of ["spread", "inventory", "fees", "total"] as const) {
      const sum = fixed(one?.pnl?.[part] ?? "0") + fixed(two?.pnl?.[part] ?? "0");
      expect(fixed(totals?.pnl[part] ?? "0")).toBe(sum);
    }
    const volume = fixed(one?.volumeQuote ?? "0") + fixed(two?.volumeQuote ?? "0");
    expect(fixed(totals?.volume ?? "0")).toBe(volume);
    expect(Number(totals?.maxDrawdown)).toBeGreaterThan(0);
    expect(totals?.sharpe?.intervals).toBeGreaterThan(5);
  });

  test("are converted by the recorded mids", async () => {
    // The second market trades USDT for token 1, at the price of a ZIL: so one unit of 1 is worth 1 / mid USDT.
    const { result } = await runTwoMarkets("USDT_1", tokenId("USDT"));
    const [one, two] = result.strategies ?? [];
    const mid = Number(result.totals?.pnl.total) - Number(one?.pnl?.total);
    const rate = mid / Number(two?.pnl?.total);
    expect(1 / rate).toBeGreaterThan(0.2);
    expect(1 / rate).toBeLessThan(0.25);
  });
});

describe("the progress of a replay", () => {
  test.each([
    ["of the whole recording", {}],
    ["until a time before its end", { toMs: first + 60_000 }],
  ])("%s only grows, to about 1", (_, span) => {
    const steps = replaySteps({ config, recording, keccak256, clock: systemClock, ...span });
    const shares: number[] = [];
    for (let step = steps.next(); step.done !== true; step = steps.next()) shares.push(step.value);
    expect(shares.length).toBeGreaterThan(5);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeLessThan(0.3);
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
  });
});

describe("config and recording", () => {
  const setup = (change: Partial<BotConfig> = {}, names: readonly [string, string][] = []) =>
    replaySetup({ ...config, ...change }, recording, new Map(names));
  const inMarket = (name: string): Partial<BotConfig> => ({
    strategies: [{ ...maker, marketId: name as typeof maker.marketId }],
  });
  const code = (expected: string) => expect.objectContaining({ code: expected });

  test("a market is found by its id, its symbol, or a --market mapping in either direction", () => {
    expect(setup().markets[0]?.recordedId).toBe("ZIL_USDT");
    for (const names of [[["1_2", "ZIL_USDT"]], [["1_2", "ZILUSDT"]], [["ZILUSDT", "1_2"]]] as [
      string,
      string,
    ][][]) {
      const [found] = setup(inMarket("1_2"), names).markets;
      expect([found?.recordedId, found?.market.marketId]).toEqual(["ZIL_USDT", "1_2"]);
    }
  });

  test("a config with tickers finds markets and balances of a recording with ids, and one with ids those of a recording with tickers", () => {
    const renamed = (marketId: string, symbol: string): Recording =>
      Object.assign(Object.create(recording), {
        manifest: {
          ...recording.manifest,
          markets: recording.manifest.markets.map((each) => ({ ...each, marketId, symbol })),
        },
      });
    const byTicker = inMarket("ZIL_USDT");
    const tokens = (given: ReturnType<typeof replaySetup>) =>
      Object.fromEntries([...given.balances].map(([token, amount]) => [token, fixedText(amount)]));
    for (const name of [undefined, "ZIL/USDT", "ZIL_USDT", "zil/usdt"]) {
      const names = new Map(name === undefined ? [] : [[name, "1_2"]]);
      const balances = { "1": "500", "2": "70" };
      const found = replaySetup(
        { ...config, ...byTicker, balances },
        renamed("1_2", "ZIL/USDT"),
        names,
      );
      expect(found.markets[0]?.recordedId).toBe("1_2");
      expect(tokens(found)).toEqual({ ZIL: "500", USDT: "70" });
      expect(found.warnings).toEqual([]);
    }
    const names = new Map([["1_2", "ZIL/USDT"]]);
    const balances = { zil: "500", "2": "70" };
    expect(
      tokens(replaySetup({ ...config, ...inMarket("1_2"), balances }, recording, names)),
    ).toEqual({
      "1": "500",
      "2": "70",
    });
  });

  test.each([
    [
      "of tokens that nobody trades",
      { "1": "500", "2": "70" },
      "no strategy trades a token of the balances, 1, 2",
    ],
    ["of one token twice", { ZIL: "500", zil: "70" }, "two of the balances are of token ZIL"],
  ])("balances %s are an error", (_, balances, message) => {
    expect(() => setup({ balances })).toThrow(code("BALANCES_INVALID"));
    expect(() => setup({ balances })).toThrow(message);
  });

  test("an unknown market is an error that lists the recorded ones", () => {
    expect(() => setup(inMarket("1_2"))).toThrow(code("MARKET_NOT_RECORDED"));
    expect(() => setup(inMarket("1_2"))).toThrow("it holds ZIL_USDT (ZILUSDT)");
    expect(() => setup({}, [["3_4", "5_6"]])).toThrow(code("MARKET_MAP_INVALID"));
  });

  test("fees come from the config, else from the recording, and are an error otherwise", () => {
    const [{ market } = { market: undefined }] = setup().markets;
    expect([market?.makerFee, market?.takerFee]).toEqual([fixed("0.0002"), fixed("0.0005")]);
    expect(() => setup(unknownFees)).toThrow(code("FEES_UNKNOWN"));
    const noted = new Recording(
      {
        ...io,
        store: {
          ...io.store,
          read: (file) =>
            file.endsWith("manifest.json")
              ? new TextEncoder().encode(
                  JSON.stringify({
                    ...recording.manifest,
                    markets: recording.manifest.markets.map((each) => ({
                      ...each,
                      makerFee: "0.001",
                      takerFee: "0.002",
                    })),
                  }),
                )
              : io.store.read(file),
        },
      },
      "anywhere",
    );
    const [found] = replaySetup({ ...config, ...unknownFees }, noted).markets;
    expect(found?.market).toMatchObject({ makerFee: fixed("0.001"), takerFee: fixed("0.002") });
  });

  test("balances come from the config; without them they are ample, with a warning", () => {
    expect(setup().balances.get(tokenId("ZIL"))).toBe(fixed("50000"));
    expect(setup().warnings).toEqual([]);
    const ample = setup({ balances: undefined });
    expect(ample.balances.get(tokenId("USDT"))).toBe(fixed("1000000000"));
    expect(ample.warnings).toEqual([expect.stringContaining("the config has no balances")]);
    expect(setup({ balances: { ZIL: "1", ETH: "5" } }).warnings).toEqual([
      "balances: no strategy trades token ETH.",
    ]);
  });

  test("a bot without an account replays; latencies are whole milliseconds", () => {
    expect(setup().kernel.owner).toMatch(/^0x[0-9a-f]{40}$/);
    const { latency } = setup(delays(0.2, 3, 4.5)).models;
    const nowMs = unixMs(first);
    expect([latency.entryMs(nowMs), latency.responseMs(nowMs), latency.feedMs(nowMs)]).toEqual([
      1, 3, 5,
    ]);
  });
});

describe("price sources", () => {
  const source = (name: string, more: Partial<SourceSettings> = {}): SourceSettings => ({
    name,
    origin: { type: "input" },
    maxAgeMs: 2_000,
    whenOld: "stop",
    ...more,
  });
  const json: SourceSettings["feed"] = {
    type: "json",
    url: "http://127.0.0.1:1/",
    everyMs: 1_000,
    send: undefined,
    paths: { bid: "p", ask: "p", time: undefined },
  };

  test("that are not in the recording are named, and with whenOld: stop nothing is quoted", async () => {
    const market = { type: "market", marketId: marketId("8", "9") } as const;
    const sources = [source("btc", { feed: json }), source("other", { origin: market })];
    const { result, warnings } = await run({ sources });
    expect(warnings.filter((text) => text.startsWith("source "))).toEqual([
      "source btc is not in the recording; it stays undefined, and with whenOld: stop nothing is quoted.",
      "source other is not in the recording; it stays undefined, and with whenOld: stop nothing is quoted.",
    ]);
    expect(result.quotesPlaced).toBe(0);
  });

  test("that are recorded are played at their times of receipt", async () => {
    const folder = `${temporaryFolder()}/prices`;
    const writer = new SourceWriter(io, folder);
    // Each second of the first minute.
    for (let second = 0; second < 60; second += 1) {
      writer.append({ atUs: (first + second * 1_000) * 1_000, name: "ref", bid: 1, ask: 2 });
    }
    writer.close();
    const feed = { type: "recording", path: folder, source: "ref" } as const;
    const played = await run({ sources: [source("btc", { feed })] });
    expect(played.warnings).toEqual([]);
    const whole = await run();
    expect(played.result.quotesPlaced).toBeGreaterThan(0);
    const { uptimeBid } = played.result;
    const spanMs = whole.window.toMs - whole.window.fromMs;
    expect(uptimeBid).toBeGreaterThan(0.8 * (60_000 / spanMs));
    expect(uptimeBid).toBeLessThan(62_500 / spanMs + 0.02);
  });
});
