import { defineCliCommand } from "../command.ts";
import { keystoreArgument, saveKey } from "../keystore-command.ts";
import { newPassword, passwordOptions } from "../password.ts";

export default defineCliCommand({
  summary: "create a private key, encrypted in a file",
  args: { file: keystoreArgument },
  options: passwordOptions,
  examples: ["keystore new keys/bot.json", "keystore new keys/bot.json --password-env PASSWORD"],
  async run({ args, options, terminal, env }) {
    const { newPrivateKey } = await import("../../platform/keys.ts");
    const password = await newPassword(options, env, (sentence) => terminal.warn(sentence));
    await saveKey("keystore.new", { file: args.file, key: newPrivateKey(), password }, terminal);
  },
});
