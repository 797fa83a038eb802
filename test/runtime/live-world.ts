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
import type { StreamLimits } from "../../src/spec/limits.ts";
import { type VenueDocument, venueSchema } from "../../src/venue/config.ts";
import { startVenue, type RunningVenue } from "../../src/venue/start-venue.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { type Verified, verifyRun } from "../../src/journal/verify.ts";
import { verifyTools } from "../../src/cli/journal-tools.ts";
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
  start(settings?: Partial<LiveSettings>): Promise<Bot>;
  /** Restarts the venue at the same address without its state. */
  forgetVenue(): Promise<void>;
  /** The bot's open orders at the venue. */
  openOrders(bot: Bot): readonly OrderRecord[];
  settle<Value>(promise: Promise<Value>): Promise<Value>;
}

export async function liveWorld(
  seed = 1,
  options: {
    readonly streamLimits?: Partial<StreamLimits>;
    readonly faults?: VenueDocument["faults"];
    readonly flow?: VenueDocument["flow"];
  } = {},
): Promise<World> {
  const clock = new VirtualClock();
  const prng = new Prng(seed);
  const network = new VirtualNetwork({ timer: clock, prng: prng.fork("network") });
  const crypto = await testCrypto();
  const store = new MemoryStore();
  const settle = settleOn(clock);
  const venueClock = { skewMs: 0 };
  const openVenue = (): Promise<RunningVenue> =>
    startVenue({
      config: venueSchema.parse({
        chainId: 1001,
        l1ChainId: 8217,
        tokens: [
          { tokenId: "1", symbol: "ETH", decimals: 18 },
          { tokenId: "2", symbol: "USDT", decimals: 6 },
        ],
        markets: [{ base: "1", quote: "2", makerFee: "0.0002", takerFee: "0.0005", listed: true }],
        faucet: { "1": "1000", "2": "2500000" },
        flow: options.flow ?? "synthetic",
        faults: options.faults,
      }),
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
      ...options,
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
  };
  const writtenParams = {
    bidSpread: "0.1%",
    askSpread: "0.1%",
    size: "0.5",
    levels: 2,
    levelSpread: "0.05%",
    refresh: "2s",
    tolerance: "0.02%",
  };
  const settings: LiveSettings = {
    venue: { rest: venue.rest, ws: venue.ws, chainId: 1001 },
    owner: undefined,
    rateLimit: { perSecond: 20, burst: 40, concurrency: 8 },
    risk: defaultRisk,
    timing: defaultTiming,
    execution: { useModify: "never" },
    streams: defaultStreamTiming,
    journal: { path: "journal", durability: "process" },
    strategies: [
      {
        name: "maker",
        plugin: "pure-market-making",
        definition: pureMarketMaking,
        params: pureMarketMaking.params.parse(writtenParams),
        writtenParams,
        marketId: "1_2" as MarketId,
        seed: 3,
      },
    ],
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
    openOrders: (bot) =>
      venue.exchange.openOrders(bot.owner, {
        fromMs: 0,
        toMs: 2e12,
        limit: 500,
        marketId: undefined,
      }),
    start: (more = {}) => settle(startLive({ ...settings, ...more }, ports)),
  };
}

export async function stopped(world: World, bot: Bot): Promise<BotEnd> {
  bot.stop();
  return world.settle(bot.done);
}

/** Re-runs the journal's newest run: it makes the same decisions, and every signature is by the recorded key. */
export async function expectVerified(world: Pick<World, "store" | "crypto">): Promise<Verified> {
  const run = listRuns(world.store, "journal").at(-1);
  if (run === undefined) throw new Error("no run in the journal");
  const configFile = `${import.meta.dirname}/bot.yaml`;
  const tools = await verifyTools(run.header, world.crypto, { configFile });
  const verified = verifyRun(run.header, entriesOfRun(world.store, run), tools);
  expect(verified).toMatchObject({ identical: true, firstDifference: null });
  expect(verified.recovered).toBe(verified.signed);
  expect(verified.signed).toBeGreaterThan(0);
  return verified;
}
