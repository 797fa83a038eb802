import { defineCliCommand } from "../command.ts";
import { asPath, argument } from "../option.ts";

export default defineCliCommand({
  summary: "end an access token of a bot's HTTP API at once",
  args: {
    config: asPath(argument("<config>", "YAML file of the bot")),
    name: argument("<name>", "name of the token, as `token list` shows it"),
  },
  options: {},
  examples: ["token revoke my-bot.yaml ops"],
  async run({ args, overrides, env, terminal }) {
    const { openTokens } = await import("../open-tokens.ts");
    (await openTokens(args.config, { overrides, env })).revoke(args.name);
    terminal.emit("token.revoke", { name: args.name });
    terminal.print(`Token ${args.name} is revoked.`);
  },
});
