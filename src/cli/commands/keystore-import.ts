import { defineCliCommand } from "../command.ts";
import { keystoreArgument, saveKey } from "../keystore-command.ts";
import { textOr } from "../option.ts";
import { newPassword, passwordOptions, typedSecret } from "../password.ts";

export default defineCliCommand({
  summary: "encrypt an existing private key in a file",
  args: { file: keystoreArgument },
  options: {
    ...passwordOptions,
    keyEnv: textOr(
      "--key-env <name>",
      "environment variable that holds the key; if it is not set, you are prompted for the key",
      "TOUCHLINE_KEY",
    ),
  },
  examples: ["keystore import keys/bot.json --key-env OLD_KEY --password-env PASSWORD"],
  async run({ args, options, terminal, env }) {
    const { privateKeyFromEnv } = await import("../../platform/keys.ts");
    const name = options.keyEnv;
    const written =
      env[name] ??
      (await typedSecret("Private key, 0x and 64 hex digits", `Put the key into ${name}.`));
    const key = privateKeyFromEnv(name, { [name]: written });
    const password = await newPassword(options, env, (sentence) => terminal.warn(sentence));
    await saveKey("keystore.import", { file: args.file, key, password }, terminal);
  },
});
