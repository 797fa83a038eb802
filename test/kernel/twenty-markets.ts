import { replay } from "../../src/backtest/replay.ts";
import { mergedSteps, type RecordedStep } from "../../src/backtest/recorded-step.ts";
import type { ReplaySetup } from "../../src/backtest/replay-setup.ts";
import { usedModels } from "../../src/backtest/used-models.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { Note } from "../../src/kernel/note.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import { NOBODY } from "../../src/simulated/simulated-account.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills } from "../../src/simulated/queue-models.ts";
import { venueModels } from "../../src/simulated/venue-models.ts";
import { randomMarket } from "../../src/testing/random-market.ts";
import marketMaking from "../../strategies/pure-market-making.ts";
import { keccak256 } from "../backtest/hand-made.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import { testMarket } from "../support/exchange.ts";
import { testKernelConfig } from "../support/kernel-config.ts";

const QUOTE = tokenId("1000");
const MARKETS = 20;

/** What one strategy per market, all with the parameters of `config/pure-market-making.yaml`, got of the rate budget. */
export interface SharedBudget {
  /** Share of the time with an own order on each side, by market. */
  readonly quoted: readonly { readonly bid: number; readonly ask: number }[];
  readonly warnings: readonly string[];
  readonly commands: number;
}

/** The market maker with a stop-loss that trails the mid: each decision moves it. */
const trailing: StrategyDefinition = {
  ...marketMaking,
  decide(input) {
    const decision = marketMaking.decide(input as Parameters<typeof marketMaking.decide>[0]);
    const mid = input.view.book?.mid;
    if (decision.type === "keep" || mid === undefined) return decision;
    const stopPrice = mid * (0.9 + 0.0001 * (Math.floor(input.view.nowMs / 1_000) % 100));
    return { ...decision, stops: [{ name: "trail", side: "SELL", size: "1", stopPrice }] };
  },
};

/** Twenty random markets in virtual time, with one bot and one rate budget. In the first `trails` of them a stop trails the mid. */
export function twentyMarkets(
  perSecond: number,
  { refresh = "1s", duration = "5m", trails = 0, requote = {} } = {},
): SharedBudget {
  const markets = Array.from({ length: MARKETS }, (_, at) => {
    const baseToken = tokenId(String(at + 1));
    return testMarket({ marketId: marketId(baseToken, QUOTE), baseToken, quoteToken: QUOTE });
  });
  const latency = constantDelays({ entry: 5, response: 5, feed: 5 });
  const models = venueModels({ fills: defaultFills, latency, fees: marketFees }, "recording");
  const params = marketMaking.params.parse({
    bidSpread: "0.025%",
    askSpread: "0.025%",
    size: "0.5",
    levels: 2,
    levelSpread: "0.02%",
    refresh,
    tolerance: "0.01%",
    requote,
  });
  const setup: ReplaySetup = {
    kernel: testKernelConfig("replay", {
      owner: NOBODY,
      markets,
      strategies: markets.map(({ marketId: id }, at) => ({
        name: `maker-${at + 1}`,
        definition: at < trails ? trailing : marketMaking,
        params,
        marketId: id,
        seed: 1,
      })),
      risk: { ...defaultRisk, maxOpenOrders: 1_000 },
      rate: { perSecond, burst: 2 * perSecond, concurrency: 8 },
    }),
    chainId: 1001,
    markets: markets.map((market) => ({ market, recordedId: market.marketId })),
    balances: new Map(
      [...markets.map(({ baseToken }) => baseToken), QUOTE].map((token) => [
        token,
        fixed("1000000"),
      ]),
    ),
    models,
    usedModels: usedModels(models.settings, markets),
    reportingCurrency: undefined,
    warnings: [],
  };
  const notes: Note[] = [];
  let commands = 0;
  const moments = replay({
    setup,
    steps: mergedSteps(
      markets.map(({ marketId: id }, at) =>
        later(randomMarket(id, { seed: at + 1, duration }), 25 * at),
      ),
    ),
    keccak256,
    watcher: {
      recorded: () => undefined,
      stopped: () => undefined,
      block: () => undefined,
      decided: () => (commands += 1),
      stepped: (step) => notes.push(...step.notes),
    },
  });
  let moment = moments.next();
  while (moment.done !== true) moment = moments.next();
  const { summary, startMs, endMs } = moment.value;
  const result = summary.result({
    durationMs: endMs - startMs,
    ordersLeft: [],
    foreignOrders: 0,
    signer: "none",
    described: new Map(),
    positions: [],
    isDry: false,
  });
  return {
    quoted: (result.strategies ?? []).map(({ uptimeBid, uptimeAsk }) => ({
      bid: uptimeBid ?? 0,
      ask: uptimeAsk ?? 0,
    })),
    warnings: notes.flatMap((note) =>
      note.type === "warning" ? [`${note.code}: ${note.message}`] : [],
    ),
    commands,
  };
}

/** The same market some milliseconds later, so that no two markets move at the same time. */
function* later(steps: Iterable<RecordedStep>, ms: number): Generator<RecordedStep> {
  for (const step of steps) {
    yield { ...step, atUs: step.atUs + ms * 1000, atMs: unixMs(step.atMs + ms) };
  }
}
