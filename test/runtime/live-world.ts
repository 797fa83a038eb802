import { expect } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { Prng } from "../../src/base/prng.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { OrderRecord } from "../../src/exchange/records.ts";
import { defaultStreamTiming } from "../../src/gateway/stream-timing.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { defaultRisk } from "../../src/risk/settings.ts";
import { startLive } from "../../src/runtime/live.ts";
import type { LivePorts, LiveSettings } from "../../src/runtime/live-settings.ts";
import type { Bot, BotEnd } from "../../src/runtime/bot.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";
import type { StreamLimits } from "../../src/spec/limits.ts";
import { type VenueConfig, type VenueDocument, venueSchema } from "../../src/venue/config.ts";
import { startVenue, type RunningVenue } from "../../src/venue/start-venue.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import type { Verified } from "../../src/journal/verify.ts";
import { verifyNewestRun } from "../support/verify-newest-run.ts";
import { silentLog, testCrypto } from "../support/venue.ts";
import { settleOn } from "../support/settle.ts";

/** A whole bot against the paper venue on a virtual clock, with the code of `run` and virtual ports. */
export interface World {
  readonly clock: VirtualClock;
  readonly network: VirtualNetwork;
  /** Milliseconds that the venue's clock is ahead of the others. */
  readonly venueClock: { skewMs: number };
  readonly venue: RunningVenue;
  readonly store: MemoryStore;
  readonly crypto: Crypto;
  readonly ports: LivePorts;
  readonly settings: LiveSettings;
  start(settings?: Partial<LiveSettings>, ports?: Partial<LivePorts>): Promise<Bot>;
  /** Starts a bot in a process of its own, which `kill` ends as kill -9 does. */
  startProcess(
    settings?: Partial<LiveSettings>,
    ports?: Partial<LivePorts>,
  ): Promise<{ readonly bot: Bot; kill(): void }>;
  /** Restarts the venue at the same address without its state. */
  forgetVenue(): Promise<void>;
  /** The bot's open orders at the venue, in one market or in all. */
  openOrders(bot: Bot, marketId?: string): readonly OrderRecord[];
  settle<Value>(promise: Promise<Value>): Promise<Value>;
}

/** A strategy of a bot's settings; without a definition it is pure market making with two quotes on each side. */
export interface StrategyChoice {
  readonly name: string;
  readonly marketId?: string;
  readonly definition?: StrategyDefinition;
}

const writtenParams = {
  bidSpread: "0.1%",
  askSpread: "0.1%",
  size: "0.5",
  levels: 2,
  levelSpread: "0.05%",
  refresh: "2s",
  tolerance: "0.02%",
};

export function strategiesOf(choices: readonly StrategyChoice[]): LiveSettings["strategies"] {
  const ladder = pureMarketMaking.params.parse(writtenParams);
  return choices.map(({ name, marketId = "1_2", definition }) => ({
    name,
    plugin: "pure-market-making",
    definition: definition ?? pureMarketMaking,
    params: definition === undefined ? ladder : {},
    writtenParams,
    marketId: marketId as MarketId,
    seed: 3,
  }));
}

export interface WorldOptions {
  readonly streamLimits?: Partial<StreamLimits>;
  readonly faults?: VenueDocument["faults"];
  /** Requests a second that the venue takes of one address. */
  readonly venuePerSecond?: number;
  /** Markets besides 1_2 (ETH/USDT), by their base token: `3` for BTC/USDT. */
  readonly moreMarkets?: readonly "3"[];
  /** First prices of the synthetic flow, by market. */
  readonly prices?: Readonly<Record<string, number>>;
  /** In place of a synthetic flow with these prices. */
  readonly flow?: VenueDocument["flow"];
}

/** A book of a third of the usual levels, since making and reading them is most of the work of a world. */
const levels = 4;
const fees = { makerFee: "0.0002", takerFee: "0.0005", listed: true };

function venueConfig(options: WorldOptions): VenueConfig {
  const { moreMarkets = [], prices, flow, faults, venuePerSecond = 0 } = options;
  const bases = ["1", ...moreMarkets];
  return venueSchema.parse({
    chainId: 1001,
    l1ChainId: 8217,
    tokens: [
      { tokenId: "1", symbol: "ETH", decimals: 18 },
      { tokenId: "2", symbol: "USDT", decimals: 6 },
      ...moreMarkets.map((tokenId) => ({ tokenId, symbol: "BTC", decimals: 8 })),
    ],
    markets: bases.map((base) => ({ base, quote: "2", ...fees })),
    faucet: { "2": "2500000", ...Object.fromEntries(bases.map((base) => [base, "1000"])) },
    flow: flow ?? { synthetic: { levels, prices } },
    faults,
    rateLimit: { perSecond: venuePerSecond },
  });
}

export async function liveWorld(seed = 1, options: WorldOptions = {}): Promise<World> {
  const clock = new VirtualClock();
  const prng = new Prng(seed);
  const network = new VirtualNetwork({ timer: clock, prng: prng.fork("network") });
  const crypto = await testCrypto();
  const store = new MemoryStore();
  const settle = settleOn(clock);
  const venueClock = { skewMs: 0 };
  const openVenue = (): Promise<RunningVenue> =>
    startVenue({
      config: venueConfig(options),
      ports: {
        server: network.servers,
        clock: {
          nowMs: () => unixMs(clock.nowMs() + venueClock.skewMs),
          monotonicUs: () => clock.monotonicUs(),
        },
        timer: clock,
        crypto,
        log: silentLog,
      },
      listen: { host: "venue", port: 8717 },
      ...(options.streamLimits === undefined ? {} : { streamLimits: options.streamLimits }),
    });
  let venue = await settle(openVenue());
  const random = prng.fork("random");
  const ports: LivePorts = {
    clock,
    timer: clock,
    http: network.http,
    connector: network.connector,
    store,
    log: silentLog,
    crypto,
    signer: crypto.signer(new Uint8Array(32).fill(7)),
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.int(0, 255)),
    bootId: "first boot",
  };
  const settings: LiveSettings = {
    venue: { rest: venue.rest, ws: venue.ws, chainId: 1001 },
    owner: undefined,
    rateLimit: { perSecond: 20, burst: 40, concurrency: 8 },
    risk: defaultRisk,
    timing: defaultTiming,
    execution: { useModify: false },
    streams: defaultStreamTiming,
    journal: { path: "journal", durability: "process", keep: {} },
    strategies: strategiesOf([{ name: "maker" }]),
    configText: "",
    codeVersion: "test",
  };
  return {
    clock,
    network,
    venueClock,
    get venue() {
      return venue;
    },
    async forgetVenue() {
      await settle(venue.close());
      venue = await settle(openVenue());
    },
    store,
    crypto,
    ports,
    settings,
    settle,
    openOrders: (bot, marketId) =>
      venue.exchange.openOrders(bot.owner, {
        fromMs: 0,
        toMs: 2e12,
        limit: 500,
        marketId: marketId as MarketId | undefined,
      }),
    start: (more = {}, wrapped = {}) =>
      settle(startLive({ ...settings, ...more }, { ...ports, ...wrapped })),
    async startProcess(more = {}, wrapped = {}) {
      const process = new VirtualProcess({ ...ports, ...wrapped });
      const { timer, http, connector } = process;
      const own = { ...ports, ...wrapped, timer, http, connector };
      const bot = await settle(startLive({ ...settings, ...more }, own));
      return {
        bot,
        kill() {
          process.kill();
          store.killed();
        },
      };
    },
  };
}

export async function stopped(world: World, bot: Bot): Promise<BotEnd> {
  bot.stop();
  return world.settle(bot.done);
}

/** Re-runs the journal's newest run: it makes the same decisions, and every signature is by the recorded key. */
export async function expectVerified(
  world: Pick<World, "store" | "crypto">,
  folder?: string,
): Promise<Verified> {
  const verified = await verifyNewestRun(world, folder);
  expect(verified).toMatchObject({ identical: true, firstDifference: null });
  expect(verified.recovered).toBe(verified.signed);
  expect(verified.signed).toBeGreaterThan(0);
  return verified;
}
