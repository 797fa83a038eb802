import { contingentSeeds, type StoredSeed, storedSeeds } from "./seeds.ts";

/**
 * Seeds of `npm test`: the newest ones, and for each kind of cause some whose worlds take less than a second or so. All others run with
 * `npm run test:soak -- worlds`.
 */
const dailyByCause: Readonly<Record<string, readonly number[]>> = {
  "how a bot stops and ends": [1, 70_151, 111_066, 310_764],
  "the first seconds of a run": [9_231, 9_111],
  "nonces used again": [110_355],
  "orders and fills over a restart": [1_256],
  "journals with holes": [55_054],
  "clocks that are set": [316_450],
  "lists from before a loss of data": [5_551_277],
  "time that counts as uptime": [70_354, 360_016],
  "the risk ladder": [2],
  "position limits": [131],
  "limits that are derived": [311_563],
  rejections: [200_063],
  "balances that drift": [315_414],
  "the watchdog": [200_789, 200_188],
  "disks that hang": [2_059],
  "requests that hang": [200_939],
  "operators' commands": [316_331],
};
const NEWEST = 3;

/** New seeds of `npm test`, which reach every fault and outcome together with the stored ones, and those of `npm run test:soak -- worlds`. */
export const newSeeds = {
  quoting: split(1_001, 16, [1_005, 1_007, 1_014]),
  contingent: split(1_001, 10, [1_007]),
};

export const dailySeeds = storedSeeds.filter(isDaily);
export const otherSeeds = storedSeeds.filter((...of) => !isDaily(...of));
export const dailyContingentSeeds = contingentSeeds.filter(isDaily);
export const otherContingentSeeds = contingentSeeds.filter((...of) => !isDaily(...of));

/** Seeds that `dailyByCause` names and nobody has stored. */
export const unknownSeeds = Object.values(dailyByCause)
  .flat()
  .filter((seed) => ![...storedSeeds, ...contingentSeeds].some((stored) => stored.seed === seed));

function isDaily({ seed }: StoredSeed, at: number, all: readonly StoredSeed[]): boolean {
  const isNew = at >= all.length - NEWEST;
  return isNew || Object.values(dailyByCause).some((seeds) => seeds.includes(seed));
}

function split(
  from: number,
  count: number,
  daily: readonly number[],
): { readonly daily: readonly number[]; readonly others: readonly number[] } {
  const all = Array.from({ length: count }, (_, at) => from + at);
  return { daily, others: all.filter((seed) => !daily.includes(seed)) };
}
