import type { SimulationOptions } from "../../src/sim/simulate.ts";
import { contingentStrategy } from "../../src/sim/contingent-strategy.ts";
import { faults } from "../../src/sim/faults.ts";
import strategy from "../../strategies/pure-market-making.ts";

export interface SessionWorld {
  readonly seed: number;
  readonly was: string;
  readonly isContingent?: true;
}

/** Worlds of a bot with session wallets that `npm test` runs, each in about a second. */
export const dailySessionWorlds: readonly SessionWorld[] = [
  { seed: 702_013, was: "among all kinds of faults" },
  { seed: 630_026, was: "orders that rested while a start could not open its session" },
  { seed: 730_250, was: "no strategy that can quote after the faults" },
];

/** Those that it leaves to `npm run test:soak -- worlds`. */
export const otherSessionWorlds: readonly SessionWorld[] = [
  { seed: 704_050, was: "among all kinds of faults" },
  { seed: 761_022, was: "orders a while after three refusals of the signature" },
  {
    seed: 761_029,
    was: "a session that was renewed before the first order of a run, and a power cut that took this order from the journal",
  },
  { seed: 730_277, was: "a bot that is paused after the faults" },
  {
    seed: 704_068,
    was: "a power cut in a handover while the disk hangs",
    isContingent: true,
  },
];

/** The kinds of faults there were when these worlds were stored. */
const KINDS = 46;

export function sessionWorldOptions({
  seed,
  isContingent,
}: SessionWorld): Omit<SimulationOptions, "crypto"> {
  return {
    seed,
    strategy: isContingent === true ? contingentStrategy : strategy,
    kinds: faults.slice(0, KINDS),
    besides: faults.filter(({ name }) => name === "session-key"),
  };
}
