import type { Prng } from "../base/prng.ts";
import type { StartMoment } from "./early-ends.ts";
import type { FaultTarget, VenueDelays } from "./fault-target.ts";
import { noFaults, type NetworkFaults } from "./network-faults.ts";
import { noPriceFaults, type PriceFaults } from "./price-server.ts";
import { simulatedMarket } from "./simulated-markets.ts";

/** What a world has one of at a time besides a bad network (docs/fault-model.md). */
const troubles = [
  "process",
  "disk",
  "clock",
  "statement",
  "account",
  "strategy",
  "operator",
] as const;
type Trouble = (typeof troubles)[number];

/** One kind of fault, which occurs in episodes at random times. */
export interface Fault {
  readonly name: string;
  /** Undefined for the network, and for what is no trouble. */
  readonly trouble?: Trouble;
  /** True for what holds in the whole world from its start, and no episode begins. */
  readonly isCondition?: true;
  /** True for one of the price sources, which only worlds with sources have. */
  readonly isOfSource?: true;
  /** Mean time between two episodes, in ms. */
  readonly everyMs: number;
  /** Shortest and longest episode, in ms; [0, 0] for a single event. */
  readonly lastsMs: readonly [number, number];
  /** Starts an episode and returns how to end it. */
  begin(target: FaultTarget, prng: Prng): (() => void) | undefined;
}

/** A fault that sets some of the network's rates for the length of an episode. */
function networkFault<Key extends keyof NetworkFaults>(
  name: string,
  everyMs: number,
  lastsMs: readonly [number, number],
  worse: (prng: Prng) => Pick<NetworkFaults, Key>,
): Fault {
  return {
    name,
    everyMs,
    lastsMs,
    begin({ network }, prng) {
      const rates = worse(prng);
      Object.assign(network.faults, rates);
      return () => {
        for (const key of Object.keys(rates) as Key[]) network.faults[key] = noFaults[key];
      };
    },
  };
}

/** The same for answers that are wrong or old. */
const statement: typeof networkFault = (...fault) => ({
  ...networkFault(...fault),
  trouble: "statement",
});

/** Prices that do not come, or come wrong. */
function priceFault(
  name: string,
  lastsMs: readonly [number, number],
  worse: (prng: Prng) => Partial<PriceFaults>,
  trouble?: Trouble,
): Fault {
  return {
    name,
    isOfSource: true,
    ...(trouble === undefined ? {} : { trouble }),
    everyMs: 15_000,
    lastsMs,
    begin({ prices }, prng) {
      const change = worse(prng);
      Object.assign(prices.faults, change);
      return () => {
        for (const key of Object.keys(change)) {
          Object.assign(prices.faults, { [key]: noPriceFaults[key as keyof PriceFaults] });
        }
      };
    },
  };
}

/** Something that is so in the whole world; `scenarioOf` and the world look for its name. */
function condition(name: string, trouble?: Trouble): Fault {
  const never = { isCondition: true, everyMs: 0, lastsMs: [0, 0], begin: () => undefined } as const;
  return { name, ...(trouble === undefined ? {} : { trouble }), ...never };
}

/** The venue says yes and acts later. */
function venueDelay(name: string, key: keyof VenueDelays): Fault {
  return {
    name,
    trouble: "statement",
    everyMs: 12_000,
    lastsMs: [2_000, 15_000],
    begin({ venueDelays }, prng) {
      venueDelays[key] = Math.round(between(prng, 100, 1_000));
      return () => {
        venueDelays[key] = 0;
      };
    },
  };
}

/** A number between two. */
export const between = (prng: Prng, low: number, high: number): number =>
  low + (high - low) * prng.unit();

/** A second strategy trades in the same market and is often in the way of the first. */
export const SECOND_STRATEGY = "second-strategy";
/** At every start the configuration is another one. */
export const YAML_CHANGES = "yaml-changes";

/** Half of the pushes arrive twice, also after the faults: nothing may come of that. */
export const FRAMES_ALWAYS_TWICE = "frames-always-twice";

/** No event of own orders and fills arrives over the stream, from the start to the end. */
export const USER_CHANNEL_SILENT = "user-channel-silent";

/** The venue has forgotten the subscriptions of the open connections to one kind of channel. */
export const SUBSCRIPTION_LOST = "subscription-lost";

/** The bot has triggers of the risk ladder. */
export const RISK_LADDER = "risk-ladder";

/** The operator does not repeat a pause to a bot that starts again, if the journal has it. */
export const OPERATOR_TELLS_ONCE = "operator-tells-once";

/** The bot quotes in two markets that share a quote token. */
export const SEVERAL_MARKETS = "several-markets";

/** The YAML sets no limit, so the bot derives them; later deposits raise its balances far above what they were derived from. */
export const DERIVED_LIMITS = "derived-limits";

/** The bot signs with session wallets that last for less than a minute or two. */
export const SESSION_KEY = "session-key";

/** The bot has price sources. */
export const PRICE_SOURCES = "price-sources";

/** Processes end before their first order, one after the other: while they wait for the venue, cancel, adopt orders, read their lists. */
function endedWhileStarting(
  name: string,
  trouble: Trouble,
  endOf: (target: FaultTarget, prng: Prng) => () => void,
): Fault {
  return {
    name,
    trouble,
    everyMs: 20_000,
    lastsMs: [4_000, 20_000],
    begin(target, prng) {
      const moment = (): StartMoment => ({
        requests: prng.int(0, 12),
        afterMs: prng.pick([0, prng.unit(), between(prng, 0, 20), between(prng, 0, 500)]),
      });
      const restartMs = Math.round(between(prng, 0, 4_000));
      return target.endStarts(restartMs, moment, endOf(target, prng));
    },
  };
}

/** All kinds of faults. Each sets rates of its own, so episodes of different kinds may overlap. */
export const faults: readonly Fault[] = [
  networkFault("requests-lost", 8_000, [1_000, 15_000], (prng) => ({
    loseRequest: between(prng, 0.02, 0.4),
  })),
  networkFault("answers-lost", 8_000, [1_000, 15_000], (prng) => ({
    loseResponse: between(prng, 0.02, 0.4),
  })),
  networkFault("answers-cut", 8_000, [1_000, 15_000], (prng) => ({
    cutResponse: between(prng, 0.02, 0.4),
  })),
  networkFault("requests-twice", 8_000, [1_000, 15_000], (prng) => ({
    duplicate: between(prng, 0.05, 0.6),
  })),
  networkFault("unavailable", 10_000, [500, 6_000], (prng) => ({
    unavailable: between(prng, 0.1, 1),
  })),
  networkFault("slow", 15_000, [1_000, 20_000], (prng) => {
    const low = between(prng, 5, 100);
    return { latencyMs: [low, low + between(prng, 5, 400)] as const };
  }),
  // A request may arrive seconds after its client gave up, but within the bound that the order tracker relies on.
  networkFault("spikes", 10_000, [1_000, 15_000], (prng) => ({
    spike: between(prng, 0.01, 0.15),
    spikeMs: between(prng, 100, 9_000),
  })),
  networkFault("refused", 20_000, [300, 8_000], () => ({ refuse: true })),
  networkFault("frozen", 20_000, [300, 12_000], () => ({ frozen: true })),
  {
    name: "sockets-cut",
    everyMs: 12_000,
    lastsMs: [0, 0],
    begin({ network }) {
      network.cutSockets();
      return undefined;
    },
  },
  {
    name: "sockets-half-open",
    everyMs: 25_000,
    lastsMs: [0, 0],
    begin({ network }) {
      network.makeSocketsHalfOpen();
      return undefined;
    },
  },
  {
    name: "clock-jumps",
    trouble: "clock",
    everyMs: 20_000,
    lastsMs: [0, 0],
    begin(target, prng) {
      target.skew(Math.round(between(prng, -20_000, 20_000)));
      return undefined;
    },
  },
  {
    name: "kill",
    trouble: "process",
    everyMs: 40_000,
    lastsMs: [0, 0],
    begin(target, prng) {
      target.kill(Math.round(between(prng, 0, 8_000)));
      return undefined;
    },
  },
  {
    name: "power-cut",
    trouble: "process",
    everyMs: 50_000,
    lastsMs: [0, 0],
    begin(target, prng) {
      const restartMs = Math.round(between(prng, 1_000, 8_000));
      const keep = prng.unit();
      target.powerCut(restartMs, { keep, losesPage: prng.chance(0.5) });
      return undefined;
    },
  },
  {
    name: "disk-full",
    trouble: "disk",
    everyMs: 60_000,
    lastsMs: [200, 12_000],
    begin(target) {
      target.fillDisk(true);
      return () => target.fillDisk(false);
    },
  },
  {
    name: "venue-restarts",
    everyMs: 40_000,
    lastsMs: [50, 9_000],
    begin: (target) => target.killVenue(),
  },
  {
    name: "disk-hangs",
    trouble: "disk",
    everyMs: 15_000,
    lastsMs: [1_000, 10_000],
    begin(target) {
      target.hangDisk(true);
      return () => target.hangDisk(false);
    },
  },
  // Beyond every time-out of the bot, but while the venue takes the nonce (D6).
  networkFault("requests-late", 12_000, [2_000, 15_000], (prng) => ({
    lateRequest: between(prng, 0.02, 0.15),
    lateMs: between(prng, 11_000, 55_000),
  })),
  networkFault("frames-lost", 10_000, [2_000, 15_000], (prng) => ({
    loseFrame: between(prng, 0.005, 0.1),
  })),
  networkFault("frames-twice", 10_000, [2_000, 15_000], (prng) => ({
    doubleFrame: between(prng, 0.05, 0.5),
  })),
  networkFault("frames-swapped", 10_000, [2_000, 15_000], (prng) => ({
    swapFrame: between(prng, 0.01, 0.2),
  })),
  networkFault("refused-by-proxy", 12_000, [1_000, 10_000], (prng) => ({
    proxyRefusal: between(prng, 0.02, 0.3),
    proxyStatus: prng.pick([403, 404, 429]),
    proxyRetryAfterSec: prng.pick([0, 1, 3_600]),
    proxyKnowsEnvelope: prng.chance(0.5),
  })),
  statement("cached-reads", 12_000, [2_000, 15_000], (prng) => ({
    cacheMs: between(prng, 200, 4_000),
  })),
  statement("wrong-time", 8_000, [3_000, 12_000], (prng) => ({
    wrongTime: prng.pick(["zero", "seconds", "hourAhead", "hourBehind"] as const),
  })),
  networkFault("channel-dies", 20_000, [10_000, 40_000], (prng) => ({
    deadChannel: prng.pick(["depth", "userEvent", "trade", "depthSnapshot"]),
  })),
  venueDelay("cancels-later", "cancelMs"),
  venueDelay("orders-later", "orderMs"),
  {
    name: "operator-pauses",
    trouble: "operator",
    everyMs: 20_000,
    lastsMs: [500, 15_000],
    begin(target) {
      target.pause(true);
      return () => target.pause(false);
    },
  },
  {
    name: "strategy-fails",
    trouble: "strategy",
    everyMs: 40_000,
    lastsMs: [0, 0],
    begin(target, prng) {
      target.failStrategy(prng.pick(["throws", "nonsense"] as const));
      return undefined;
    },
  },
  condition(SECOND_STRATEGY),
  condition(YAML_CHANGES, "operator"),
  condition(FRAMES_ALWAYS_TWICE),
  {
    name: "venue-clock-back",
    trouble: "clock",
    everyMs: 30_000,
    lastsMs: [0, 0],
    begin(target, prng) {
      target.setVenueBack(Math.round(between(prng, 500, 15_000)));
      return undefined;
    },
  },
  condition(RISK_LADDER),
  {
    name: "operator-resumes",
    trouble: "operator",
    everyMs: 20_000,
    lastsMs: [0, 0],
    begin(target, prng) {
      target.resume(prng.chance(0.5));
      return undefined;
    },
  },
  condition(OPERATOR_TELLS_ONCE),
  condition(SEVERAL_MARKETS),
  condition(DERIVED_LIMITS),
  {
    name: "deposits",
    trouble: "account",
    everyMs: 10_000,
    lastsMs: [0, 0],
    begin(target) {
      target.deposit();
      return undefined;
    },
  },
  {
    name: "strategy-stalls",
    trouble: "strategy",
    everyMs: 8_000,
    lastsMs: [2_000, 2_000],
    begin(target, prng) {
      // The longer one does not return before the watchdog ends the process.
      target.stallStrategy(prng.chance(0.8) ? Math.round(between(prng, 50, 2_900)) : 30_000);
      return () => target.stallStrategy(0);
    },
  },
  // Longer than a process needs to start and to quote.
  {
    name: "long-pauses",
    trouble: "operator",
    everyMs: 15_000,
    lastsMs: [15_000, 30_000],
    begin(target) {
      target.pause(true);
      return () => target.pause(false);
    },
  },
  condition(SESSION_KEY),
  {
    name: "sessions-revoked",
    trouble: "account",
    everyMs: 25_000,
    lastsMs: [0, 0],
    begin(target) {
      target.revokeSessions();
      return undefined;
    },
  },
  endedWhileStarting("kill-while-starting", "process", (target, prng) => () => {
    target.kill(Math.round(between(prng, 0, 4_000)), true);
  }),
  endedWhileStarting("power-cut-while-starting", "process", (target, prng) => () => {
    const restartMs = Math.round(between(prng, 1_000, 8_000));
    const keep = prng.pick([0, prng.unit()]);
    target.powerCut(restartMs, { keep, losesPage: prng.chance(0.3) }, true);
  }),
  endedWhileStarting("stop-while-starting", "operator", (target, prng) => () => {
    target.stopBot(Math.round(between(prng, 0, 4_000)));
  }),
  // All public channels of one market, so that none of them shows that another is dead; a second market goes on.
  networkFault("market-dies", 20_000, [15_000, 40_000], () => ({ deadMarket: simulatedMarket })),
  networkFault("cancels-lost", 10_000, [2_000, 20_000], () => ({ loseFirstCancel: true })),
  condition(USER_CHANNEL_SILENT),
  condition(PRICE_SOURCES),
  priceFault("prices-silent", [1_000, 15_000], () => ({ isSilent: true })),
  priceFault("prices-late", [2_000, 15_000], (prng) => ({
    lateMs: Math.round(between(prng, 500, 6_000)),
  })),
  {
    name: "prices-refused",
    isOfSource: true,
    everyMs: 20_000,
    lastsMs: [300, 12_000],
    begin({ prices }) {
      prices.refuse();
      return () => void prices.listen();
    },
  },
  priceFault(
    "prices-jump",
    [1_000, 15_000],
    (prng) => ({ factor: prng.pick([0.1, 10]) }),
    "statement",
  ),
  priceFault(
    "prices-impossible",
    [1_000, 10_000],
    (prng) => ({ impossible: prng.pick(["zero", "negative", "crossed", "text"] as const) }),
    "statement",
  ),
  // Longer apart than a bot that starts looks for another one on its account.
  {
    name: "operator-takes-over",
    trouble: "operator",
    everyMs: 10_000,
    lastsMs: [12_000, 20_000],
    begin: (target, prng) =>
      target.placeByHand({
        side: prng.pick(["BUY", "SELL"] as const),
        away: prng.pick([0, 0.0002, 0.002, 0.02]),
        sizeShare: between(prng, 0.2, 1),
        fate: prng.pick(["takenOver", "takenOver", "canceled", "left"] as const),
        afterMs: Math.round(between(prng, 0, 6_000)),
        taker: prng.unit(),
      }),
  },
  // Before the journal's next sync, so that the order is lost, which is filled in part while the bot is down.
  {
    name: "power-cut-after-order",
    trouble: "process",
    everyMs: 20_000,
    lastsMs: [5_000, 10_000],
    begin(target, prng) {
      const restartMs = Math.round(between(prng, 1_000, 8_000));
      const share = between(prng, 0.1, 0.9);
      return target.afterOrder(between(prng, 0, 40), (orderId) => {
        target.powerCut(restartMs, { keep: 0, losesPage: false });
        target.fillInPart(orderId, share);
      });
    },
  },
  // A new subscription or connection has the channel again. Long enough for a judge to see that none is made.
  {
    name: SUBSCRIPTION_LOST,
    everyMs: 20_000,
    lastsMs: [20_000, 40_000],
    begin({ network }, prng) {
      network.loseChannels(prng.pick(["depth", "userEvent", "trade"]));
      return () => network.loseChannels(undefined);
    },
  },
];

/**
 * Swarm testing (Groce et al., 2012): each run uses only some kinds, so that one fault cannot mask the effects of another. Of the troubles
 * besides the network one at most.
 */
export function someFaults(prng: Prng): readonly Fault[] {
  const share = prng.unit();
  const chosen = troubles[prng.int(0, troubles.length)];
  return faults.filter(({ trouble }) =>
    trouble === undefined ? prng.chance(share) : trouble === chosen && prng.chance(0.7),
  );
}
