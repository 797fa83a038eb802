import { TouchlineError } from "../../base/error.ts";
import { defineCliCommand } from "../command.ts";
import { keystoreArgument } from "../keystore-command.ts";
import { givenPassword, passwordOptions } from "../password.ts";

export default defineCliCommand({
  summary: "show the address of a keystore; with a password, also check that it opens the keystore",
  args: { file: keystoreArgument },
  options: passwordOptions,
  examples: ["keystore show keys/bot.json", "keystore show keys/bot.json --password-env PASSWORD"],
  async run({ args, options, terminal, env }) {
    const { readKeystore } = await import("../../platform/keystore-file.ts");
    const { isReadableByOthers } = await import("../../platform/private-file.ts");
    const { exposedText } = await import("../exposed-files.ts");
    const { namedAddress } = await import("../../platform/key-source.ts");
    const { checkKey } = await import("../keystore-command.ts");
    const { file } = args;
    const password = await givenPassword(options, env);
    const text = readKeystore(file);
    if (isReadableByOthers(file)) terminal.warn(exposedText(file));
    const opened = password === undefined ? undefined : await checkKey(file, text, password);
    const address = opened ?? namedAddress(file, text);
    if (address === undefined) {
      throw new TouchlineError("KEYSTORE_NAMELESS", `${file} does not contain its address.`, {
        hint: "Give its password, so that the keystore can be opened.",
      });
    }
    terminal.emit("keystore.show", { file, address, opened: opened !== undefined });
    terminal.print(address);
  },
});
