import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { distanceText } from "../../domain/time-words.ts";
import { table } from "../table.ts";
import { timeText } from "../time-text.ts";
import { venueNowMs, withVenue } from "../venue-access.ts";
import { accountAddress, addressOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "list an owner's session wallets, including ended ones",
  options: addressOptions,
  examples: ["session list", "session list --address 0x00000000000000000000000000000000000000a1"],
  async run(invocation) {
    const { options, terminal, env } = invocation;
    const { address, sessions, nowMs } = await withVenue(invocation, async (venue) => {
      const owner = await accountAddress(options, venue.address, env);
      return {
        address: owner,
        sessions: await venue.call(endpoints["session-list"], { address: owner }),
        nowMs: await venueNowMs(venue),
      };
    });
    terminal.emit("session.list", { address, sessions });
    if (sessions.length === 0) {
      terminal.print("No session wallets.");
      return;
    }
    terminal.print(
      table(
        ["name", "session wallet", "expires", "expiry (UTC)", "applied"],
        sessions.map((session) => [
          session.name,
          session.sessionAddress,
          distanceText(session.expiry, nowMs),
          timeText(session.expiry * 1000).slice(0, 19),
          session.applied ? terminal.green("yes") : terminal.red("no"),
        ]),
      ),
    );
  },
});
