import { defineCliCommand } from "../command.ts";
import { expiryOption, expirySecOf } from "../expiry.ts";
import { text } from "../option.ts";
import { runSession, sessionOptions } from "../session-command.ts";

export default defineCliCommand({
  summary: "create a session wallet, which may trade for its owner until it expires",
  details:
    "The session wallet gets a key of its own (--session-keystore creates one) and can never move money off the account. The owner's " +
    "key is used once, from a variable or a keystore. If it is on a hardware wallet: --print-request prints what to sign there; then " +
    "run the same command with --expires, --nonce and --signature instead.",
  options: {
    ...sessionOptions,
    expires: expiryOption,
    name: text("--name <text>", "name shown in lists; it is public"),
  },
  examples: [
    "session create --session-keystore keys/bot-session.json --expires 7d --name bot",
    "session create --session-keystore keys/bot-session.json --owner 0x00000000000000000000000000000000000000a1 --print-request",
  ],
  run: (invocation) =>
    runSession(invocation, {
      action: "create",
      sessionWallet: undefined,
      name: invocation.options.name,
      expirySec: (nowMs) => expirySecOf(invocation.options.expires, nowMs),
    }),
});
