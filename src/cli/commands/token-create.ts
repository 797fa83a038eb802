import { defineCliCommand } from "../command.ts";
import { expirySecOf, parseExpiry } from "../expiry.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument, text } from "../option.ts";
import { roleOption } from "../role-option.ts";

export default defineCliCommand({
  summary: "create an access token of a bot's HTTP API",
  details:
    "The token is shown once; the bot keeps its hash beside its journal, and takes it at once. Programs send it as `Authorization: Bearer TOKEN`. `control` may do everything, `agent` all but leave a halt or change a limit (docs/agents.md).",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    role: roleOption("it", ["read", "agent", "control"]),
    name: text("--name <name>", "letters, digits, - and _; names its commands in the journal"),
    expires: {
      flags: "--expires <time>",
      about: "when it expires: a duration such as 30d, or a time (default: when it is revoked)",
      fallback: undefined,
      parse: parseExpiry,
    },
  },
  examples: [
    "token create my-bot.yaml",
    "token create my-bot.yaml --role control --name ops --expires 30d",
  ],
  async run({ args, options, overrides, env, terminal }) {
    const { openTokens } = await import("../open-tokens.ts");
    const { role } = options;
    const name = options.name ?? `${role}-${Date.now().toString(36)}`;
    if (!/^[\w-]{1,40}$/.test(name)) {
      throw usageError("--name must have 1 to 40 letters, digits, dashes and underscores.");
    }
    const tokens = await openTokens(args.config, { overrides, env });
    const createdMs = Date.now();
    const { expires } = options;
    const expiresMs = expires === undefined ? null : expirySecOf(expires, createdMs) * 1000;
    const token = tokens.create({ name, role, createdMs, expiresMs });
    terminal.emit("token.create", { name, role, expires: expiresMs, token });
    terminal.print(token);
    terminal.note(`Token ${name} (${role}). It is not shown again.`);
  },
});
