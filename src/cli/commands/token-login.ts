import { askBot, runningBot } from "../control-command.ts";
import { defineCliCommand } from "../command.ts";
import { roleOption } from "../role-option.ts";

export default defineCliCommand({
  summary: "make a link that logs one browser in to the page of a running bot",
  details:
    "The link works once, within ten minutes. The session ends after twelve hours without use, and after a week.",
  args: { config: runningBot },
  options: {
    role: roleOption("the session", ["control", "read"]),
  },
  examples: ["token login my-bot.yaml", "token login my-bot.yaml --role read"],
  async run({ args, options, overrides, env, terminal }) {
    const { role } = options;
    const request = { command: "login", role } as const;
    const { link = "" } = await askBot(args.config, { request, overrides, env });
    terminal.emit("token.login", { role, link });
    terminal.print(link);
  },
});
