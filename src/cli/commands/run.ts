import { defineCliCommand } from "../command.ts";
import { asPath, argument, durationOption, flag } from "../option.ts";
import { strategyOption, strategyOverrides, watchOption } from "../strategy-option.ts";

export default defineCliCommand({
  summary: "run a bot against the venue in its configuration",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: {
    duration: durationOption("--duration <time>", "stop after this time, such as 30s or 2h"),
    dryRun: flag(
      "--dry-run",
      "sign and log commands, but send nothing; with a journal of its own beside the bot's",
    ),
    strategy: strategyOption,
    watch: watchOption,
  },
  examples: [
    "run config/pure-market-making.yaml",
    "run my-bot.yaml --duration 5m --set strategies.eth-maker.params.bidSpread=0.2% --json",
  ],
  endsBySignal: true,
  async run({ args, options, overrides, terminal, interrupt, env }) {
    const { openLive } = await import("../open-live.ts");
    const { ownPlaces, runBot } = await import("../run-bot.ts");
    const { sayPage } = await import("../say-page.ts");
    const opened = await openLive(args.config, options.dryRun, {
      overrides: [...strategyOverrides(options.strategy), ...overrides],
      env,
      terminal,
    });
    const { config } = opened;
    return runBot({
      ...opened,
      watches: options.watch,
      env,
      terminal,
      interrupt,
      durationMs: options.duration,
      // The page of the bot that trades may have the configured port.
      mayMoveDashboard: options.dryRun,
      started(bot, page) {
        const { journal } = ownPlaces(config, options.dryRun);
        const markets = bot.markets
          .map((market) => `${market.marketId} ${market.ticker}`)
          .join(", ");
        terminal.emit("run", {
          venue: config.venue.rest,
          owner: bot.owner,
          markets: bot.markets.map((market) => market.marketId),
          dashboard: page?.url ?? null,
          journal: journal.path,
          dryRun: options.dryRun,
        });
        const remark = options.dryRun ? " (dry run: nothing is sent)" : "";
        terminal.say(`${terminal.bold("Running")} on ${config.venue.rest}: ${markets}${remark}`);
        terminal.say(`  account    ${bot.owner}`);
        sayPage(terminal, page);
        terminal.say(`  journal    ${journal.path}`);
        terminal.say(
          terminal.dim(
            options.dryRun
              ? "  Ctrl-C ends the run and prints a summary."
              : "  Ctrl-C cancels the bot's orders and prints a summary.",
          ),
        );
      },
    });
  },
});
