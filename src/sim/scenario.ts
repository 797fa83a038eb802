import { Prng } from "../base/prng.ts";
import type { MarketId } from "../domain/ids.ts";
import { defaultTiming, type KernelTiming } from "../kernel/config.ts";
import { venueSchema, type VenueConfig } from "../venue/config.ts";
import {
  DERIVED_LIMITS,
  faults,
  OPERATOR_TELLS_ONCE,
  PRICE_SOURCES,
  RISK_LADDER,
  SECOND_STRATEGY,
  SESSION_KEY,
  SEVERAL_MARKETS,
  someFaults,
  YAML_CHANGES,
  type Fault,
} from "./faults.ts";
import { pairedRoles, SECOND_MARKET, simulatedMarket } from "./simulated-markets.ts";
import type { SessionTimes } from "./simulated-session.ts";

/** The account from which deposits come. */
export const depositor = "0x00000000000000000000000000000000000de905";
/** Name of the strategy in it. */
export const SECOND_MARKET_MAKER = "second market";
export const simulatedChainId = 1001;
/** Initial balances of the bot's account. */
const startFunds = { "1": "100", "2": "250000" } as const;
const depositorFunds = { "1": "1000000", "2": "1000000000" } as const;
/** The token and the market that a venue of several markets has besides the default ones. */
const severalMarkets = {
  tokens: [
    { tokenId: "1", symbol: "ETH", decimals: 18 },
    { tokenId: "2", symbol: "USDT", decimals: 6 },
    { tokenId: "3", symbol: "BTC", decimals: 8 },
  ],
  markets: [
    { base: "1", quote: "2" },
    { base: "3", quote: "2" },
  ],
} as const;

/** Periods short enough for a minute to contain many of each. */
const simulatedTiming: KernelTiming = {
  ...defaultTiming,
  reconcileMs: 5_000,
  balancesMs: 5_000,
  venueTimeMs: 10_000,
};

/** Orders that the venue accepted and then refused must be given up before the simulation ends. */
const patientTiming: KernelTiming = { ...simulatedTiming, queryMaxMs: 2_000 };

/** Time for every request to end and be resolved: an unanswered placement is over when its nonce has expired (D37). */
const HEAL_MS = 75_000;
/** A 429 with a long `Retry-After` in the last moment costs a minute, and only then the loss of an order is proven. */
const PATIENT_HEAL_MS = 90_000;
/** An order that a power cut took from the journal may appear until its nonce has expired, and that may be 30 s ahead of the venue's clock. */
const POWER_CUT_HEAL_MS = 100_000;

/** The least that a configuration may set. */
const STOP_BEFORE_MS = 15_000;

/** What the bot does in a second market. */
export interface SecondMarket {
  /** The name by which the strategy of the first market trades in it, too; undefined: another strategy does. */
  readonly role: string | undefined;
  /** Price at the start, quote per base. */
  readonly price: number;
  /** As in `Scenario`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly maxPosition: string;
}

/** Price sources of one service, whose prices are near those of the first market. */
export interface SimulatedSources {
  readonly names: readonly string[];
  /** Price of the first market at the start. */
  readonly startPrice: number;
  /** Time between two messages. */
  readonly everyMs: number;
  readonly maxAgeMs: number;
  readonly whenOld: "stop" | "widen";
  readonly widenBy: number;
}

/** One simulated world, derived from its seed alone. */
export interface Scenario {
  readonly seed: number;
  /** The market that `params` and `maxPosition` are of. */
  readonly marketId: MarketId;
  /** Undefined in a world of one market. */
  readonly secondMarket: SecondMarket | undefined;
  readonly faultsMs: number;
  readonly faults: readonly Fault[];
  /** A user's strategy, of which only what holds for any is judged. */
  readonly isOwnStrategy: boolean;
  /** Parameters of the strategy, as in YAML. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Quotes on each side, as in `params`. */
  readonly levels: number;
  /** `risk.triggers` as in YAML; empty without a ladder. */
  readonly triggers: Readonly<Record<string, unknown>>;
  /** Risk limit on the net position, in base token. */
  readonly maxPosition: string;
  /** The configuration sets no limits. */
  readonly derivesLimits: boolean;
  readonly rate: {
    readonly perSecond: number;
    readonly burst: number;
    readonly concurrency: number;
  };
  readonly venue: VenueConfig;
  /** Another order of the account rests at the venue; the bot must not touch it. */
  readonly hasForeignOrder: boolean;
  /** The bot is stopped while faults are still active. */
  readonly stopsInTrouble: boolean;
  /** Offset of the bot's wall clock from the venue's at the start, in ms. */
  readonly skewMs: number;
  readonly useModify: boolean;
  /** Prices from elsewhere that the strategies see; undefined where there are none. */
  readonly sources: SimulatedSources | undefined;
  /** A second strategy meets the quotes of the first. */
  readonly hasSecondStrategy: boolean;
  /** Every other run has other parameters, and another name of the strategy. */
  readonly yamlChanges: boolean;
  /** The operator does not repeat a pause to a bot that starts again, if the journal has it. */
  readonly tellsOnce: boolean;
  /** Undefined: the bot signs with the owner's key. */
  readonly session: SessionTimes | undefined;
  readonly timing: KernelTiming;
  /** Time after the faults in which everything must come into order. */
  readonly healMs: number;
  /** What the journal must survive; with `power` the bot waits for the disk before it sends anything. */
  readonly durability: "process" | "power";
}

/** A strategy of a user: its parameters as in YAML, and markets whose price they fit. */
export interface OwnStrategy {
  readonly params: Readonly<Record<string, unknown>>;
  /** Price at the start, quote per base. */
  readonly price: number;
  /** Its name for a second market; undefined: it trades in one. */
  readonly role: string | undefined;
  /** Names of the price sources that its parameters name. */
  readonly sources: readonly string[];
}

/** Faults that give other strategies or parameters to a bot: they are those of `pure-market-making`. */
const ofMaker: readonly string[] = [SECOND_STRATEGY, SEVERAL_MARKETS, YAML_CHANGES];
/** Position limit of an own strategy, in quote token. */
const OWN_POSITION = 5_000;

export interface ScenarioOptions {
  readonly own?: OwnStrategy | undefined;
  readonly seed: number;
  /** Duration of the faults, in ms. Default 60 s. */
  readonly faultsMs?: number;
  /** Default: a random choice. */
  readonly faults?: readonly Fault[];
  /** Faults besides those that the seed picks. */
  readonly besides?: readonly Fault[];
  /** Whether quotes are moved by modify. Default: random. */
  readonly useModify?: boolean | undefined;
  /** `l1owner` of the bot, funded with `startFunds`. */
  readonly owner: string;
}

export function scenarioOf(options: ScenarioOptions): Scenario {
  const { seed, faultsMs = 60_000 } = options;
  const prng = new Prng(seed).fork("scenario");
  // A second generator, so that draws added later do not change the earlier ones of stored seeds.
  const later = new Prng(seed).fork("more");
  const drawnPrice = prng.pick([0.02, 3, 150, 2_000, 60_000]);
  const price = options.own?.price ?? drawnPrice;
  const worth = prng.pick([100, 1_000, 3_000]);
  const size = Number((worth / price).toPrecision(3));
  const levels = prng.int(1, 3);
  // Drawn in any case: the rest of the world is the same with other faults.
  const drawn = someFaults(prng.fork("faults"));
  const { besides = [] } = options;
  const { own } = options;
  const drawnFaults = (
    options.faults ?? faults.filter((fault) => drawn.includes(fault) || besides.includes(fault))
  ).filter(({ name }) => own === undefined || !ofMaker.includes(name));
  const names = own?.sources ?? [];
  const hasSources = names.length > 0 || drawnFaults.some(({ name }) => name === PRICE_SOURCES);
  const chosen = drawnFaults.filter(({ isOfSource }) => hasSources || isOfSource !== true);
  const includesFault = (fault: string): boolean => chosen.some(({ name }) => name === fault);
  const actsLater = includesFault("orders-later");
  const ownTerms = own && { ...own, maxPosition: (OWN_POSITION / own.price).toFixed(8) };
  const secondMarket = includesFault(SEVERAL_MARKETS)
    ? aSecondMarket(new Prng(seed).fork("second market"), levels, !includesFault(YAML_CHANGES))
    : ownTerms?.role === undefined
      ? undefined
      : ownTerms;
  const derivesLimits = includesFault(DERIVED_LIMITS);
  const funds = {
    ...startFunds,
    ...(secondMarket === undefined ? {} : { "3": startFunds["1"] }),
    ...(derivesLimits ? smallFunds(new Prng(seed).fork("funds"), { size, worth, levels }) : {}),
  };
  return {
    seed,
    derivesLimits,
    marketId: simulatedMarket,
    secondMarket,
    faultsMs,
    faults: chosen,
    isOwnStrategy: own !== undefined,
    params: {
      ...someParams(prng, size, levels),
      ...someCoolDown(new Prng(seed).fork("cool-down")),
    },
    levels,
    maxPosition: (size * prng.int(levels, 3 * levels)).toFixed(8),
    ...(ownTerms && { params: ownTerms.params, maxPosition: ownTerms.maxPosition }),
    triggers: includesFault(RISK_LADDER) ? someTriggers(new Prng(seed).fork("ladder"), worth) : {},
    rate: {
      // A market more needs as much again; with less, quotes would wait without a fault.
      perSecond: prng.pick([10, 20, 60]) * (secondMarket === undefined ? 1 : 2),
      burst: prng.pick([20, 40]),
      concurrency: prng.int(2, 8),
    },
    venue: venueSchema.parse({
      chainId: simulatedChainId,
      ...(secondMarket === undefined ? {} : severalMarkets),
      accounts: {
        [options.owner]: funds,
        [depositor]: depositorFunds,
      },
      flow: {
        synthetic: {
          seed: prng.uint32(),
          prices: {
            [simulatedMarket]: price,
            ...(secondMarket === undefined ? {} : { [SECOND_MARKET]: secondMarket.price }),
          },
          volatility: prng.pick([0.0001, 0.0003, 0.001]),
          ...prng.pick([
            { takerEveryMs: 100, takerNotional: 300 },
            { takerEveryMs: 400, takerNotional: 1_000 },
            { takerEveryMs: 1_500, takerNotional: 3_000 },
          ]),
        },
      },
      rateLimit: { perSecond: prng.pick([0, 0, 0, 15]) },
      dataDir: includesFault("venue-restarts") ? "data" : null,
    }),
    hasForeignOrder: prng.chance(0.3),
    stopsInTrouble: prng.chance(0.25),
    skewMs: prng.pick([0, 0, 700, -8_000, 400_000]),
    timing: actsLater ? patientTiming : simulatedTiming,
    healMs: Math.max(
      actsLater ? PATIENT_HEAL_MS : HEAL_MS,
      chosen.some(({ name }) => name.startsWith("power-cut")) ? POWER_CUT_HEAL_MS : 0,
    ),
    hasSecondStrategy: includesFault(SECOND_STRATEGY),
    yamlChanges: includesFault(YAML_CHANGES),
    tellsOnce: includesFault(OPERATOR_TELLS_ONCE),
    sources: hasSources ? someSources(new Prng(seed).fork("sources"), names, price) : undefined,
    session: includesFault(SESSION_KEY) ? someSessions(new Prng(seed).fork("session")) : undefined,
    useModify: options.useModify ?? later.chance(0.5),
    durability: includesFault("power-cut") && later.chance(0.3) ? "power" : "process",
  };
}

/** Balances of a few quotes, so that limits derived from them are reached. */
function smallFunds(
  prng: Prng,
  {
    size,
    worth,
    levels,
  }: { readonly size: number; readonly worth: number; readonly levels: number },
): Readonly<Record<string, string>> {
  return {
    "1": (size * levels * prng.pick([0.5, 1, 2])).toFixed(8),
    "2": (worth * levels * prng.pick([1, 2, 4])).toFixed(8),
  };
}

/** Parameters of `pure-market-making`; `size` in base token. */
function someParams(prng: Prng, size: number, levels: number): Scenario["params"] {
  return {
    bidSpread: prng.pick(["0.01%", "0.05%", "0.2%"]),
    askSpread: prng.pick(["0.01%", "0.05%", "0.2%"]),
    size: size.toFixed(8),
    levels,
    levelSpread: "0.05%",
    refresh: `${prng.pick([100, 500, 2_000])}ms`,
    tolerance: prng.pick(["0%", "0.02%", "0.1%"]),
  };
}

function someCoolDown(prng: Prng): Scenario["params"] {
  return prng.chance(0.25) ? { coolDown: `${prng.pick([1_000, 5_000])}ms` } : {};
}

function someSources(prng: Prng, names: readonly string[], startPrice: number): SimulatedSources {
  return {
    names: names.length > 0 ? names : ["elsewhere"],
    startPrice,
    everyMs: prng.pick([100, 400, 1_000]),
    maxAgeMs: prng.pick([2_000, 5_000]),
    whenOld: prng.pick(["stop", "stop", "widen"] as const),
    widenBy: prng.pick([2, 5]),
  };
}

/** Several sessions in a world, each with time for a few attempts to make the next one. */
function someSessions(prng: Prng): SessionTimes {
  const beforeMs = prng.pick([20_000, 25_000, 35_000]);
  const lifetimeMs = beforeMs + prng.pick([8_000, 20_000, 40_000]);
  return { beforeMs, lifetimeMs, stopBeforeMs: STOP_BEFORE_MS };
}

function aSecondMarket(prng: Prng, levels: number, mayBePaired: boolean): SecondMarket {
  const price = prng.pick([0.02, 3, 150, 2_000, 60_000]);
  const size = Number((prng.pick([100, 1_000, 3_000]) / price).toPrecision(3));
  return {
    price,
    params: someParams(prng, size, levels),
    maxPosition: (size * prng.int(levels, 3 * levels)).toFixed(8),
    role: mayBePaired && prng.chance(0.5) ? pairedRoles[1] : undefined,
  };
}

/** The scenario as it is in one of its markets. A second strategy and a YAML that changes are of the first. */
export function scenarioIn(scenario: Scenario, of: MarketId): Scenario {
  const { secondMarket } = scenario;
  if (secondMarket === undefined || of !== SECOND_MARKET) return scenario;
  const { params, maxPosition } = secondMarket;
  const own = { hasSecondStrategy: false, yamlChanges: false };
  return { ...scenario, marketId: of, params, maxPosition, ...own };
}

/** Limits that the position and the losses of a minute reach. `worth`: value of one quote. */
function someTriggers(prng: Prng, worth: number): Readonly<Record<string, unknown>> {
  const step = prng.pick(["widen", "reduceOnly", "pause", "halt"]);
  const recovery = prng.chance(0.5) ? { recoverAfter: `${prng.int(2, 10)}s` } : {};
  return {
    position: { [step]: String(worth * prng.pick([0.5, 1, 2])), ...recovery },
    sessionLoss: {
      warn: String(worth / 10_000),
      [prng.pick(["reduceOnly", "pause"])]: String(worth / 1_000),
    },
    unknownAge: { pause: "2s", recoverAfter: "5s" },
  };
}
