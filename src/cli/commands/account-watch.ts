import { tokenSymbols } from "../token-of.ts";
import { defineCliCommand } from "../command.ts";
import { durationOption } from "../option.ts";
import { userEventText } from "../user-event-text.ts";
import { withVenue } from "../venue-access.ts";
import { accountAddress, addressOptions } from "../venue-options.ts";
import { watch } from "../watch.ts";

export default defineCliCommand({
  summary: "follow an account: orders, executions, deposits, withdrawals and transfers",
  details: "Reconnects after a lost connection and reports it. Ends with --duration or Ctrl-C.",
  options: {
    ...addressOptions,
    duration: durationOption("--duration <time>", "end after this time, such as 5m"),
  },
  examples: [
    "account watch --config config/pure-market-making.yaml",
    "account watch --address 0x00000000000000000000000000000000000000a1 --json",
  ],
  async run(invocation) {
    const { options, terminal, interrupt, env } = invocation;
    await withVenue(invocation, async (venue) => {
      const address = await accountAddress(options, venue.address, env);
      const symbols = await tokenSymbols(venue);
      await watch({
        venue,
        terminal,
        interrupt,
        event: "account.watch",
        durationMs: options.duration,
        channels: [
          {
            kind: "userEvent",
            parameter: address,
            show(event) {
              terminal.emit("account.watch", { type: "event", ...event });
              terminal.print(userEventText(event, symbols, terminal));
            },
          },
        ],
      });
    });
  },
});
