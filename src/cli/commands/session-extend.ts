import { defineCliCommand } from "../command.ts";
import { expiryOption, expirySecOf } from "../expiry.ts";
import { argument } from "../option.ts";
import { runSession, sessionOptions } from "../session-command.ts";
import { addressArgument } from "../venue-options.ts";

export default defineCliCommand({
  summary: "change the expiry of a session wallet",
  args: { session: argument("<address>", "address of the session wallet") },
  options: { ...sessionOptions, expires: expiryOption },
  examples: ["session extend 0x00000000000000000000000000000000000000b2 --expires 14d"],
  run: async (invocation) =>
    runSession(invocation, {
      action: "update",
      sessionWallet: await addressArgument("<address>", invocation.args.session),
      expirySec: (nowMs) => expirySecOf(invocation.options.expires, nowMs),
    }),
});
