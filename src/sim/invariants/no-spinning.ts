import type { Invariant } from "../invariant.ts";

/** Number of steps without input or effect in one second; the kernel's own deadlines cause far fewer. */
const IDLE_STEPS = 100;

/** The loop sleeps when nothing happens. A deadline in the past would keep the processor busy. */
export const noSpinning: Invariant = {
  name: "no-spinning",
  isOfBot: true,
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
