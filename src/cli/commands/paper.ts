import { defineCliCommand } from "../command.ts";
import { asPath, argument, durationOption } from "../option.ts";
import { strategyOption, strategyOverrides, watchOption } from "../strategy-option.ts";

export default defineCliCommand({
  summary: "run a bot on its venue's live public data with simulated fills; nothing is sent",
  args: { config: asPath(argument("<config>", "YAML file of the bot; needs no account")) },
  options: {
    duration: durationOption("--duration <time>", "stop after this time, such as 30s or 2h"),
    strategy: strategyOption,
    watch: watchOption,
  },
  examples: [
    "paper config/pure-market-making.yaml --duration 10m",
    "paper bot.yaml --set balances.2=25000 --json",
  ],
  endsBySignal: true,
  async run({ args, options, overrides, terminal, interrupt, env }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { keyWarnings } = await import("../../config/key-warnings.ts");
    const { limitWarnings } = await import("../../config/limit-warnings.ts");
    const { exposures } = await import("../exposed-files.ts");
    const { openLog } = await import("../log.ts");
    const { runBot } = await import("../run-bot.ts");
    const { sayPage } = await import("../say-page.ts");
    const load = { overrides: [...strategyOverrides(options.strategy), ...overrides], env };
    const config = await loadBotConfig(args.config, load);
    const warnings = [exposures(config), keyWarnings(config, "paper"), limitWarnings(config)];
    for (const warning of warnings.flat()) terminal.warn(warning);
    return runBot({
      config,
      loaded: { config, options: load },
      watches: options.watch,
      mode: { type: "paper" },
      env,
      terminal,
      interrupt,
      log: openLog(config.log.level, env),
      durationMs: options.duration,
      mayMoveDashboard: false,
      started(bot, page) {
        const markets = bot.markets.map(({ marketId, ticker }) => `${marketId} ${ticker}`);
        terminal.emit("paper", {
          venue: config.venue.rest,
          owner: bot.owner,
          markets: bot.markets.map((market) => market.marketId),
          dashboard: page?.url ?? null,
        });
        terminal.say(
          `${terminal.bold("On paper")} with public data of ${config.venue.rest}: ${markets.join(", ")}`,
        );
        sayPage(terminal, page);
        terminal.say(
          terminal.dim("  Nothing is signed or sent. Ctrl-C stops and prints a summary."),
        );
      },
    });
  },
});
