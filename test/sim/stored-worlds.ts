import { simulationTools } from "../../src/sim/simulation-tools.ts";
import { repeatCommand, runWorld, type WorldOptions } from "../../src/sim/world.ts";

/** A world that broke an invariant once, or that shows a promise. */
export interface StoredWorld extends Partial<WorldOptions> {
  readonly seed: number;
  /** The faults by name; left out, those that the seed picks. */
  readonly faults?: readonly string[];
  readonly shows: string;
  /** Other worlds of `npm test` show nearly the same: this one is for the long tests. */
  readonly isLong?: true;
}

const lostCancels = { faults: ["cancels-lost"], neverModify: true };
const silentUserChannel = { faults: ["user-channel-silent"] };
const storm = {
  faults: [
    "answers-lost",
    "answers-cut",
    "unavailable",
    "sockets-cut",
    "frames-lost",
    "frames-twice",
  ],
  faultsMs: 20_000,
};
const endedStarts = ["kill-while-starting", "power-cut-while-starting", "refused"];
const operator = ["operator-takes-over", "stop-while-starting", "answers-lost", "sockets-cut"];
const badNetwork = [
  "requests-lost",
  "answers-lost",
  "requests-twice",
  "refused",
  "frozen",
  "sockets-half-open",
];

export const storedWorlds: readonly StoredWorld[] = [
  {
    seed: 3,
    ...lostCancels,
    shows: "a cancel whose first request is lost leaves no surplus",
    isLong: true,
  },
  { seed: 4, ...lostCancels, shows: "the same of three levels", isLong: true },
  { seed: 1, ...silentUserChannel, shows: "a silent user channel takes no side away for long" },
  { seed: 2, ...silentUserChannel, shows: "the same after a fill", isLong: true },
  { seed: 102, ...storm, shows: "every order is on its target soon after a storm", isLong: true },
  { seed: 104, ...storm, shows: "both sides stand soon after a storm", isLong: true },
  { seed: 113, ...storm, shows: "every order is on its target after a storm of unknown outcomes" },
  {
    seed: 110,
    ...storm,
    shows: "orders of unknown outcome keep no order off its target",
    isLong: true,
  },
  {
    seed: 1,
    faults: [...badNetwork, "kill"],
    shows: "a stop waits for missing fills",
    isLong: true,
  },
  {
    seed: 4,
    faults: ["price-sources", "prices-silent", "prices-jump", "prices-refused", "kill"],
    shows: "no quote while a source has no price that is believed",
    isLong: true,
  },
  {
    seed: 4,
    faults: ["answers-cut", "requests-twice", "unavailable", "slow", "spikes", "refused"],
    shows: "no empty steps while the venue's clock is not known",
    isLong: true,
  },
  {
    seed: 58,
    faults: badNetwork,
    shows: "a replacement waits for the cancel in an outage",
    isLong: true,
  },
  { seed: 10_020_205, faults: ["market-dies"], shows: "no quotes on the book of a silent market" },
  {
    seed: 131,
    faults: [...badNetwork, "kill"],
    contingent: true,
    shows: "limits hold for legs",
    isLong: true,
  },
  { seed: 2_006, faults: badNetwork, contingent: true, shows: "stops and legs of every state" },
  {
    seed: 20,
    taking: true,
    shows: "no quote waits behind a take that an order in doubt holds back",
    isLong: true,
  },
  { seed: 10, faults: [...badNetwork, "kill"], taking: true, shows: "takes over restarts" },
  {
    seed: 7,
    faults: [...badNetwork, "kill"],
    taking: true,
    shows: "no name of a take trades twice",
    isLong: true,
  },
  {
    seed: 199,
    faults: ["venue-clock-back"],
    faultsMs: 4_000,
    shows: "foreign orders count that the venue dates after its own time",
  },
  {
    seed: 6,
    faults: operator,
    shows: "foreign orders that are taken over or canceled, stopped starts",
  },
  { seed: 7, faults: operator, shows: "an order with fills that is taken over" },
  {
    seed: 6,
    faults: ["operator-takes-over", "requests-lost", "answers-cut", "sockets-cut"],
    shows: "foreign orders that strategies take over, or that are canceled",
    isLong: true,
  },
  {
    seed: 7,
    faults: ["operator-takes-over", "answers-lost", "sockets-cut"],
    shows: "the fills that an order had before it was taken over count",
    isLong: true,
  },
  { seed: 910_007, faults: endedStarts, shows: "starts that are killed, and power cuts at starts" },
  {
    seed: 910_004,
    faults: ["kill-while-starting", "refused"],
    shows: "starts that are killed",
    isLong: true,
  },
  {
    seed: 910_004,
    faults: ["power-cut-while-starting", "refused"],
    shows: "power cuts at starts",
    isLong: true,
  },
  {
    seed: 910_009,
    faults: ["stop-while-starting", "refused"],
    shows: "starts that are stopped",
    isLong: true,
  },
  {
    seed: 700_105,
    faults: ["session-key", "sessions-revoked"],
    shows: "new sessions after the owner has ended the old ones",
  },
  {
    seed: 700_103,
    faults: ["session-key", "sessions-revoked"],
    shows: "a bot begins anew when the owner has ended its sessions",
    isLong: true,
  },
  {
    seed: 705_029,
    faults: ["session-key", "kill", "refused-by-proxy", "requests-lost"],
    shows: "orders of an earlier run rest while no session can be opened",
    isLong: true,
  },
];

export function optionsOf(stored: StoredWorld): WorldOptions {
  return {
    faultsMs: 60_000,
    faults: undefined,
    besides: [],
    neverModify: false,
    contingent: false,
    taking: false,
    twice: false,
    log: false,
    ...stored,
  };
}

/** What a world reached, and the command that repeats it with what it broke; empty when it kept every invariant. */
export async function judged(stored: StoredWorld): Promise<{
  readonly reached: ReadonlyMap<string, number>;
  readonly broken: readonly string[];
}> {
  const options = optionsOf(stored);
  const { reached, violations } = await runWorld(options, await simulationTools());
  const broken = violations.length === 0 ? [] : [repeatCommand(options), ...violations];
  return { reached: new Map(reached), broken };
}
