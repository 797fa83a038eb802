import { defineCliCommand } from "../command.ts";
import { asPath, argument } from "../option.ts";
import { table } from "../table.ts";
import { timeText } from "../time-text.ts";

export default defineCliCommand({
  summary: "list the access tokens of a bot's HTTP API",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {},
  examples: ["token list my-bot.yaml"],
  async run({ args, overrides, env, terminal }) {
    const { openTokens } = await import("../open-tokens.ts");
    const tokens = (await openTokens(args.config, { overrides, env })).list();
    for (const { name, role, createdMs: created, expiresMs: expires } of tokens) {
      terminal.emit("token.list", { name, role, created, expires });
    }
    if (tokens.length === 0) terminal.print("There are no access tokens.");
    else {
      const rows = tokens.map(({ name, role, createdMs, expiresMs }) => {
        return [
          name,
          role,
          timeText(createdMs),
          expiresMs === null ? "never" : timeText(expiresMs),
        ];
      });
      terminal.print(table(["name", "role", "created (UTC)", "expires (UTC)"], rows));
    }
  },
});
