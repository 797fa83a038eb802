import type { ImpureKind } from "../platform/guard-impure.ts";

/** What to use instead, to follow a colon. */
export const impureAdvice: Readonly<Record<ImpureKind, string>> = {
  time: "a replay cannot repeat it. The time is view.nowMs.",
  random:
    "a replay cannot repeat it. Random numbers come from new Prng(seed), with the seed that init receives.",
  data: "a replay cannot repeat it. Read files before the start, at the top of the strategy's file, or give the values as params.",
  network:
    "neither a replay nor `journal verify` can repeat it, also while the file loads. The market is in view; give other values as params.",
  later: "a strategy cannot wait. Return wakeAtMs to be called again.",
};
