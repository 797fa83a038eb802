import { defineCliCommand } from "../command.ts";
import { spanText, timeText } from "../time-text.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "show the venue's clock and its offset from this machine's",
  options: venueOptions,
  examples: ["market time"],
  async run(invocation) {
    const { terminal } = invocation;
    const { serverTimeMs: serverTime, offsetMs } = await withVenue(invocation, async (venue) => {
      // The first call opens the connection, so only the second one is measured.
      await venue.clock.read();
      return venue.clock.read();
    });
    terminal.emit("market.time", { serverTime, offsetMs });
    const away =
      Math.abs(offsetMs) < 1000 ? `${Math.abs(offsetMs)} ms` : spanText(Math.abs(offsetMs));
    const side = offsetMs < 0 ? "behind" : "ahead of";
    terminal.print(
      `${timeText(serverTime)} UTC, ${offsetMs === 0 ? "equal to ours" : `${away} ${side} ours`}`,
    );
  },
});
