import PQueue from "p-queue";
import { RateBudget } from "../../src/execution/rate-budget.ts";
import type { BenchCase } from "../bench-case.ts";

/** Both sides limit rate and concurrency, with room for all requests of the run, so that only the check is measured. */
const limit = { perSecond: 1_000_000, burst: 1_000_000, concurrency: 8 };

/**
 * G13, rate part: the cost of admitting one request. Ours takes a token and a slot and gives the slot back; p-queue
 * runs the request as a task of a queue with the same concurrency and an interval cap that never binds, awaited as a
 * program has to. Both call the same tiny request, whose sum is compared.
 */
export const rateBudget: BenchCase = {
  goal: "G13",
  title: "rate limit on the hot path, one request",
  unit: "us",
  async prepare() {
    const budget = new RateBudget(limit);
    const queue = new PQueue({
      concurrency: limit.concurrency,
      interval: 1_000,
      intervalCap: 1_000_000_000,
    });
    let nowMs = 1_700_000_000_000;
    let refused = 0;
    const ours = tally();
    const theirs = tally();
    const runOurs = (iterations: number): void => {
      for (let request = 0; request < iterations; request += 1) {
        // A tick of the clock for every eighth request, so that refilling is measured too.
        if (request % 8 === 0) nowMs += 1;
        if (!budget.tryTake("place", nowMs)) {
          refused += 1;
          continue;
        }
        ours.send(request);
        budget.release("place");
      }
    };
    const runTheirs = async (iterations: number): Promise<void> => {
      for (let request = 0; request < iterations; request += 1) {
        await queue.add(() => theirs.send(request));
      }
    };
    // The runner may give each side another number of iterations: the same number is compared here.
    const compared = 1_000;
    runOurs(compared);
    await runTheirs(compared);
    const isSame = ours.sum === theirs.sum && ours.sum === (compared * (compared - 1)) / 2;
    return {
      sides: [
        { name: "token bucket", run: runOurs },
        { name: "p-queue", run: runTheirs },
      ],
      check() {
        if (!isSame) return "the sides did not send the same requests";
        return refused > 0 ? `${refused} requests were refused and not measured` : undefined;
      },
    };
  },
};

/** A request that leaves a trace, so that it cannot be optimised away. */
function tally(): { sum: number; send(request: number): void } {
  return {
    sum: 0,
    send(request) {
      this.sum += request;
    },
  };
}
