import type { Invariant } from "../invariant.ts";

/** In no simulated world does money move that the bot could not know of: a drift of the balances is a false alarm. */
export const noDrift: Invariant = {
  name: "no-drift",
  isOfBot: true,
  watch() {
    return {
      entry({ notes }) {
        for (const note of notes) {
          if (note.type === "balanceDrift" && note.code === "BALANCE_DRIFT") return note.message;
        }
        return undefined;
      },
    };
  },
};
