import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineCliCommand } from "../command.ts";
import { argumentList, asPath, flag, text, textOr, wordArgument } from "../option.ts";

export default defineCliCommand({
  summary: "write what runs bots unattended: systemd units, a Dockerfile, or a compose file",
  details:
    "Nothing is installed or started, and no file is replaced. A stop cancels the bot's orders within the time that the service gives it. See docs/deploy.md.",
  args: {
    kind: wordArgument("<kind>", "what runs them", ["systemd", "docker", "compose"]),
    configs: asPath(argumentList("<configs...>", "YAML files of bots")),
  },
  options: {
    out: asPath(textOr("--out <dir>", "folder of the new files", "deploy")),
    guard: flag("--guard", "a guard beside every bot, not only where guard.required is true"),
    user: text("--user <name>", "user that the systemd units run as (default: $USER)"),
    host: text(
      "--host <name>",
      "name under which browsers reach the page of a container; needed unless dashboard.allowedHosts has one",
    ),
  },
  examples: [
    "deploy systemd my-bot.yaml --user touchline",
    "deploy compose one.yaml two.yaml --guard --host bots.example",
  ],
  async run({ args, options, overrides, env, terminal }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { refuseAlike, servedBot } = await import("../deployed-files.ts");
    const { composeFiles, dockerFiles } = await import("../container-files.ts");
    const { serviceUnits } = await import("../service-units.ts");
    const { packageRoot } = await import("../../config/plugin-hooks.ts");
    const { typedPath, writeNew } = await import("../scaffold.ts");
    const load = { overrides, env, needs: "nothing" } as const;
    const configs = await Promise.all(args.configs.map((file) => loadBotConfig(file, load)));
    const bots = configs.map((config) => servedBot(config, options.guard));
    refuseAlike(bots);
    const out = path.resolve(options.out);
    const program = [process.execPath, fileURLToPath(new URL("bin/touchline.js", packageRoot))];
    const user = options.user ?? env["USER"] ?? "touchline";
    const files = {
      systemd: () => bots.flatMap((bot) => serviceUnits(bot, { program, user, out })),
      docker: () => dockerFiles(out),
      compose: () => composeFiles(bots, { out, host: options.host }),
    }[args.kind]();
    writeNew(files);
    const written = files.map((file) => typedPath(file.path));
    terminal.emit("deploy", { kind: args.kind, files: written });
    for (const file of written) terminal.print(file);
    terminal.note(
      args.kind === "systemd"
        ? `Put them into /etc/systemd/system: sudo systemctl link ${path.join(out, "*.service")}, then enable --now. Keys go into /etc/touchline/NAME.env.`
        : `First: npm pack ${fileURLToPath(packageRoot)} --pack-destination ${out}`,
    );
  },
});
