import { Prng } from "../../src/base/prng.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import type { AppendFile } from "../../src/ports/store.ts";
import { defaultTiming } from "../../src/kernel/config.ts";
import { createLog } from "../../src/platform/log.ts";
import type { BotEnd } from "../../src/runtime/bot.ts";
import { SimulatedBot } from "../../src/sim/simulated-bot.ts";
import { journalFolder } from "../../src/sim/simulated-settings.ts";
import { scenarioOf, type Scenario } from "../../src/sim/scenario.ts";
import { silentLog } from "../../src/ports/log.ts";
import { VenueProcess } from "../../src/sim/venue-process.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { WatchedStore } from "../../src/sim/watched-store.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import { venueSchema } from "../../src/venue/config.ts";
import type { GrowthSample } from "./growth.ts";
import { collectedMemory } from "./memory.ts";

const HOUR_MS = 3_600_000;
const MB = 1e6;
/** Virtual time without faults at the end, and for the stop. */
const CALM_MS = 120_000;

/** A venue remembers for many hours by default; what grows after the first two is then the bot's. */
const smallVenue = {
  rememberedTransactions: 5_000,
  historyPerAccount: 1_000,
  candlesPerResolution: 1_500,
} as const;

/** The demo without its recording: its strategy's parameters and a synthetic market at its price. */
function demoScenario(seed: number, owner: string): Scenario {
  return {
    ...scenarioOf({ seed, owner, faults: [], useModify: true }),
    params: {
      bidSpread: "0.025%",
      askSpread: "0.025%",
      size: "500",
      levels: 3,
      levelSpread: "0.02%",
      refresh: "500ms",
      tolerance: "0.01%",
    },
    levels: 3,
    maxPosition: "20000",
    rate: { perSecond: 40, burst: 80, concurrency: 8 },
    venue: venueSchema.parse({
      accounts: { [owner]: { "1": "50000000", "2": "10000000" } },
      flow: {
        synthetic: {
          seed,
          prices: { "1_2": 0.214 },
          halfSpread: 0.0008,
          takerEveryMs: 1000,
          takerNotional: 150,
        },
      },
    }),
    hasForeignOrder: false,
    stopsInTrouble: false,
    skewMs: 0,
    timing: defaultTiming,
    durability: "process",
  };
}

/** Counts what a journal writes and forgets the segments that no restart needs, as `journal.keep` does. */
class CountingStore extends WatchedStore {
  writtenBytes = 0;

  override openAppend(path: string, options: { readonly truncateTo?: number } = {}): AppendFile {
    const segments = this.list(journalFolder).filter((name) => name.endsWith(".journal"));
    for (const name of segments.slice(0, -2)) this.remove(`${journalFolder}/${name}`);
    const file = super.openAppend(path, options);
    return {
      get size() {
        return file.size;
      },
      append: (bytes) => {
        this.writtenBytes += bytes.length;
        file.append(bytes);
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  }
}

export interface VirtualDayOptions {
  readonly hours: number;
  readonly seed: number;
  readonly crypto: Crypto;
  /** `pure-market-making`. */
  readonly strategy: StrategyDefinition;
  /** Each hour the stream is cut once, and the network is away for 30 s once. */
  readonly hasFaults: boolean;
  sampled(sample: GrowthSample): void;
}

export interface VirtualDayResult {
  readonly end: BotEnd;
  readonly samples: readonly GrowthSample[];
  /** Orders open at the venue after the end. */
  readonly left: number;
}

/**
 * The whole bot and the whole paper venue in this process, on virtual time, at the demo's rate. Samples are taken each hour; their memory is
 * that of both and of the test, their journal all that was written, uncompressed.
 */
export async function virtualDay(options: VirtualDayOptions): Promise<VirtualDayResult> {
  const { hours, seed, crypto, strategy, hasFaults } = options;
  const signer = crypto.signer(new Uint8Array(32).fill(7));
  const scenario = demoScenario(seed, signer.address);
  const time = new VirtualClock();
  const network = new VirtualNetwork({ timer: time, prng: new Prng(seed).fork("network") });
  const venue = new VenueProcess({
    config: scenario.venue,
    time,
    network,
    crypto,
    served: () => undefined,
    dropped: () => undefined,
    delays: { cancelMs: 0, orderMs: 0 },
    exchangeLimits: smallVenue,
  });
  const starting = venue.start();
  await time.runFor(1);
  const exchange = await starting;
  const store = new CountingStore();
  let end: BotEnd | undefined;
  const bot = new SimulatedBot({
    scenario,
    strategy,
    paired: strategy,
    meeter: strategy,
    crypto,
    signer,
    time,
    network,
    store,
    prng: new Prng(seed).fork("bot"),
    log: process.env["SOAK_LOG"] === undefined ? silentLog : createLog({ level: "warn" }),
    watch: {
      processStarts: () => undefined,
      runStarts: () => undefined,
      startFailed: () => undefined,
      endedWhileStarting: () => undefined,
      operatorEnded: () => undefined,
      diskEnded: () => undefined,
      strategyEnded: () => undefined,
      sessionEnded: () => undefined,
      entry: () => undefined,
      request: () => undefined,
      notSent: () => undefined,
      refused: () => undefined,
      limited: () => undefined,
      watchdogRequest: () => undefined,
      watchdogEnded: () => undefined,
      answered: () => undefined,
      broken: () => undefined,
      ended: (ended) => {
        end = ended;
      },
    },
  });
  bot.start();
  const samples: GrowthSample[] = [];
  for (let hour = 1; hour <= hours; hour += 1) {
    await (hasFaults ? troubledHour(time, network) : time.runFor(HOUR_MS));
    const { heapBytes, rssBytes } = collectedMemory();
    const sample = {
      hours: hour,
      heapMb: heapBytes / MB,
      rssMb: rssBytes / MB,
      journalMb: store.writtenBytes / MB,
    };
    samples.push(sample);
    options.sampled(sample);
  }
  await time.runFor(CALM_MS);
  bot.stop();
  await time.runUntil(() => end !== undefined, CALM_MS);
  const left = exchange.openOrders(signer.address, { fromMs: 0, toMs: Infinity, limit: 100 });
  venue.kill();
  bot.close();
  if (end === undefined) throw new Error("the bot did not stop");
  return { end, samples, left: left.length };
}

async function troubledHour(time: VirtualClock, network: VirtualNetwork): Promise<void> {
  const outageMs = 30_000;
  await time.runFor(HOUR_MS / 2);
  network.cutSockets();
  await time.runFor(HOUR_MS / 4);
  network.faults.refuse = true;
  network.cutSockets();
  await time.runFor(outageMs);
  network.faults.refuse = false;
  await time.runFor(HOUR_MS / 4 - outageMs);
}
