import { defineCliCommand } from "../command.ts";
import { argument } from "../option.ts";
import { runSession, sessionOptions } from "../session-command.ts";
import { addressArgument } from "../venue-options.ts";

export default defineCliCommand({
  summary: "end a session wallet at once; its resting orders stay, since they are the owner's",
  args: { session: argument("<address>", "address of the session wallet") },
  options: sessionOptions,
  examples: ["session delete 0x00000000000000000000000000000000000000b2"],
  run: async (invocation) =>
    runSession(invocation, {
      action: "delete",
      sessionWallet: await addressArgument("<address>", invocation.args.session),
      expirySec: (nowMs, known) => known?.expiry ?? Math.floor(nowMs / 1000),
    }),
});
