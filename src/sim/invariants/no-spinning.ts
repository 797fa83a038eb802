import type { Invariant } from "../invariant.ts";

/** Steps without news in one second: the kernel's own deadlines are far fewer. */
const IDLE_STEPS = 100;

/** 10. The loop sleeps when nothing happens: a deadline in the past would burn the processor. */
export const noSpinning: Invariant = {
  name: "no-spinning",
  watch({ elapsedMs }) {
    let second = 0;
    let steps = 0;
    return {
      entry({ batch, effects }) {
        const now = Math.floor(elapsedMs() / 1000);
        if (now !== second) steps = 0;
        second = now;
        if (batch.inputs.length === 0 && effects.length === 0) steps += 1;
        return steps === IDLE_STEPS ? `${steps} empty steps in one second` : undefined;
      },
    };
  },
};
