import { callVenue } from "../../sdk/call.ts";
import { EXECUTED_ELSEWHERE, withdrawRetry } from "../../spec/endpoints/withdraw-retry.ts";
import { defineCliCommand } from "../command.ts";
import { orderIdArgument } from "../order-command.ts";
import { withVenue } from "../venue-access.ts";
import { venueOptions } from "../venue-options.ts";

export default defineCliCommand({
  summary: "retry a withdrawal that failed on layer 1",
  args: {
    hash: { ...orderIdArgument, form: "<hash>", about: "hash of the withdrawal on layer 2" },
  },
  options: venueOptions,
  examples: [`account retry-withdraw 0x${"1f".repeat(32)}`],
  async run(invocation) {
    const { args, terminal } = invocation;
    const l1Hash = await withVenue(invocation, (venue) =>
      callVenue(venue.connection, withdrawRetry, { txHash: args.hash }),
    );
    const isElsewhere = l1Hash === EXECUTED_ELSEWHERE;
    terminal.emit("account.retry-withdraw", { hash: args.hash, l1Hash, isElsewhere });
    terminal.print(
      isElsewhere
        ? "Somebody else has already executed it on layer 1."
        : `Executed on layer 1: ${l1Hash}`,
    );
  },
});
