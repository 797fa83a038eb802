import { Prng } from "../base/prng.ts";
import { marketId } from "../domain/ids.ts";
import { defaultTiming, type KernelTiming } from "../kernel/config.ts";
import { venueSchema, type VenueConfig } from "../venue/config.ts";
import { someFaults, type Fault } from "./faults.ts";

export const simulatedMarket = marketId("1", "2");
export const simulatedChainId = 1001;
/** What the bot's account starts with. */
const startFunds = { "1": "100", "2": "250000" } as const;

/** Periods short enough that a minute shows many of each. */
const simulatedTiming: KernelTiming = {
  ...defaultTiming,
  reconcileMs: 5_000,
  balancesMs: 5_000,
  venueTimeMs: 10_000,
};

/** What the venue lost is to be over before the world ends. */
const forgetfulTiming: KernelTiming = { ...simulatedTiming, lostMs: 15_000, queryMaxMs: 2_000 };

/** One world, made from its seed alone. */
export interface Scenario {
  readonly seed: number;
  readonly faultsMs: number;
  readonly faults: readonly Fault[];
  /** Parameters of `pure-market-making`, as in YAML. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Risk limit on the net position, base token. */
  readonly maxPosition: string;
  readonly rate: {
    readonly perSecond: number;
    readonly burst: number;
    readonly concurrency: number;
  };
  readonly venue: VenueConfig;
  /** Another order of the account rests at the venue: nobody may touch it. */
  readonly hasForeignOrder: boolean;
  /** The signal to stop comes while there are still faults. */
  readonly stopsInTrouble: boolean;
  /** The bot's wall clock less the venue's at the start. */
  readonly skewMs: number;
  readonly useModify: boolean;
  readonly timing: KernelTiming;
  /** What the journal has to survive (`power` waits for the disk before anything is sent). */
  readonly durability: "process" | "power";
}

export interface ScenarioOptions {
  readonly seed: number;
  /** How long the bot works under faults. Default 60 s. */
  readonly faultsMs?: number;
  /** Default: some of `kinds`, by the seed. */
  readonly faults?: readonly Fault[];
  /** Default: all. */
  readonly kinds?: readonly Fault[] | undefined;
  /** Quotes are moved by modify. Default: by the seed. */
  readonly useModify?: boolean | undefined;
  /** `l1owner`, whose funds are `startFunds`. */
  readonly owner: string;
}

export function scenarioOf(options: ScenarioOptions): Scenario {
  const { seed, faultsMs = 60_000 } = options;
  const prng = new Prng(seed).fork("scenario");
  // Apart, so that what was drawn before there was more to draw stays as it was.
  const more = new Prng(seed).fork("more");
  const price = prng.pick([0.02, 3, 150, 2_000, 60_000]);
  const worth = prng.pick([100, 1_000, 3_000]);
  const size = Number((worth / price).toPrecision(3));
  const levels = prng.int(1, 3);
  const chosen = options.faults ?? someFaults(prng.fork("faults"), options.kinds);
  const has = (fault: string): boolean => chosen.some(({ name }) => name === fault);
  return {
    seed,
    faultsMs,
    faults: chosen,
    params: {
      bidSpread: prng.pick(["0.01%", "0.05%", "0.2%"]),
      askSpread: prng.pick(["0.01%", "0.05%", "0.2%"]),
      size: size.toFixed(8),
      levels,
      levelSpread: "0.05%",
      refresh: `${prng.pick([100, 500, 2_000])}ms`,
      tolerance: prng.pick(["0%", "0.02%", "0.1%"]),
    },
    maxPosition: (size * prng.int(levels, 3 * levels)).toFixed(8),
    rate: {
      perSecond: prng.pick([10, 20, 60]),
      burst: prng.pick([20, 40]),
      concurrency: prng.int(2, 8),
    },
    venue: venueSchema.parse({
      chainId: simulatedChainId,
      accounts: { [options.owner]: startFunds },
      flow: {
        synthetic: {
          seed: prng.uint32(),
          prices: { [simulatedMarket]: price },
          volatility: prng.pick([0.0001, 0.0003, 0.001]),
          ...prng.pick([
            { takerEveryMs: 100, takerNotional: 300 },
            { takerEveryMs: 400, takerNotional: 1_000 },
            { takerEveryMs: 1_500, takerNotional: 3_000 },
          ]),
        },
      },
      rateLimit: { perSecond: prng.pick([0, 0, 0, 15]) },
      dataDir: has("venue-restarts") ? "data" : null,
    }),
    hasForeignOrder: prng.chance(0.3),
    stopsInTrouble: prng.chance(0.25),
    skewMs: prng.pick([0, 0, 700, -8_000, 400_000]),
    timing: has("venue-forgets") ? forgetfulTiming : simulatedTiming,
    useModify: options.useModify ?? more.chance(0.5),
    durability: has("power-cut") ? "power" : "process",
  };
}
