import type { Invariant } from "../invariant.ts";

/** Twice the limit of `stale-book`, within which silence is proven, and the time to read a book late or after failures. */
const LIMIT_MS = 30_000;
/** The trade channel serves no quote, and snapshots only check a book. */
const JUDGED = /^(?:depth|userEvent)@/;
/** A clock that is set makes a process wait for longer. */
const NOT_JUDGED = "clock-jumps";

/** A depth or user channel that withholds messages for long is subscribed to anew, the first time in a process. */
export const deadChannels: Invariant = {
  name: "dead-channels",
  isOfBot: true,
  watch({ scenario, oracle, withheld, isBotAlive, isStopping }) {
    const isExcused = scenario.faults.some(({ name }) => name === NOT_JUDGED);
    return {
      tick() {
        if (isExcused || !isBotAlive() || isStopping()) return undefined;
        for (const { channel, sinceMs, newestMs } of withheld()) {
          if (!JUDGED.test(channel)) continue;
          const deadMs = newestMs - sinceMs;
          oracle.lasted(`dead ${channel.split("@")[0]} channel`, deadMs);
          if (deadMs > LIMIT_MS) {
            return `${channel} has delivered nothing for ${Math.round(deadMs)} ms and was not subscribed to anew`;
          }
        }
        return undefined;
      },
    };
  },
};
