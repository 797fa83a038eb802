import path from "node:path";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, durationOption, flag, integer, text } from "../option.ts";
import { strategyOption, strategyOverrides } from "../strategy-option.ts";

/** Dashboard address when the configuration has none. */
const defaultPage = {
  host: "127.0.0.1",
  port: 8718,
  allowedHosts: [],
  insecureControl: false,
};
/** Order flow without a recording; the price is close to that of the recording. */
const SYNTHETIC =
  'flow={ synthetic: { prices: { "1_2": 0.214 }, halfSpread: 0.0008, takerEveryMs: 1000, takerNotional: 150 } }';

export default defineCliCommand({
  summary: "run a paper venue, a market maker on it and the dashboard on this machine",
  options: {
    duration: durationOption("--duration <time>", "end after this time, such as 30s"),
    port: integer("--port <n>", "port of the dashboard; 0 picks a free one (default 8718)", {
      min: 0,
      max: 65_535,
    }),
    keep: flag(
      "--keep",
      "continue with the key, venue data and journal of the last demo with --keep",
    ),
    dashboard: flag("--no-dashboard", "do not serve the dashboard"),
    config: asPath(
      text(
        "--config <file>",
        "YAML file of a bot; its venue and account are replaced by the demo's",
      ),
    ),
    strategy: strategyOption,
  },
  examples: [
    "demo",
    "demo --duration 30s --json",
    "demo --keep",
    "demo --strategy strategies/wide-spread.ts --set strategies.0.params.spread=0.1%",
  ],
  endsBySignal: true,
  async run({ options, overrides, terminal, interrupt, env }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { loadPlugin } = await import("../../config/load-plugin.ts");
    const { loadVenueConfig } = await import("../../config/load-venue-config.ts");
    const { secureBytes } = await import("../../platform/random.ts");
    const { configFile, demoJournal, hasDemoRecording, keptDemo } = await import(
      "../demo-files.ts"
    );
    const { openLog } = await import("../log.ts");
    const { openPaperVenue } = await import("../paper-venue.ts");
    const { runBot } = await import("../run-bot.ts");
    const { sayPage } = await import("../say-page.ts");

    if (options.strategy !== undefined && options.config === undefined) {
      const configFile = path.resolve("--strategy");
      const loaded = await loadPlugin({ plugin: options.strategy, configFile });
      const { name, markets = [] } = loaded.ok ? loaded.value : { name: "" };
      if (markets.length > 1) {
        throw usageError(
          `${name} trades in ${markets.length} markets (${markets.join(", ")}), and the demo's venue has one.`,
          "Start a paper venue with all its markets, touchline venue FILE, and run a bot there whose YAML names them.",
        );
      }
    }
    const log = openLog("info", env);
    const kept = options.keep ? keptDemo(() => secureBytes(32)) : undefined;
    const venueConfig = loadVenueConfig(configFile("demo-venue.yaml"), {
      env,
      overrides: [
        ...(hasDemoRecording() ? [] : [SYNTHETIC]),
        ...(kept === undefined ? [] : [`dataDir=${JSON.stringify(kept.venueData)}`]),
      ],
    });
    const { chainId, l1ChainId } = venueConfig;
    const venue = await openPaperVenue({
      config: venueConfig,
      host: "127.0.0.1",
      port: 0,
      log,
    });
    try {
      const settings = [
        `venue=${JSON.stringify({ rest: venue.rest, ws: venue.ws, chainId, l1ChainId })}`,
        `journal.path=${JSON.stringify(kept?.journal ?? demoJournal(Date.now()))}`,
        ...(options.port === undefined ? [] : [`dashboard.port=${options.port}`]),
        ...strategyOverrides(options.strategy),
      ];
      const load = { env, overrides: [...settings, ...overrides] };
      const config = await loadBotConfig(options.config ?? configFile("demo.yaml"), load);
      return await runBot({
        config: {
          ...config,
          account: undefined,
          dashboard: options.dashboard ? (config.dashboard ?? defaultPage) : undefined,
        },
        loaded: { config, options: load },
        watches: false,
        // A new random wallet, funded by the venue's faucet.
        mode: { type: "live", key: kept?.key ?? secureBytes(32), isDryRun: false },
        env,
        terminal,
        interrupt,
        log,
        durationMs: options.duration,
        isDemo: true,
        mayMoveDashboard: options.port === undefined,
        started(bot, page) {
          terminal.emit("demo", {
            rest: venue.rest,
            ws: venue.ws,
            dashboard: page?.url ?? null,
            owner: bot.owner,
            journal: config.journal.path,
          });
          terminal.say(`${terminal.bold("Touchline demo")}: one market maker on a paper venue`);
          sayPage(terminal, page);
          terminal.say(`  venue      ${venue.rest}`);
          terminal.say(`  journal    ${config.journal.path}`);
          terminal.say(terminal.dim("  Ctrl-C cancels the bot's orders and prints a summary."));
        },
      });
    } finally {
      await venue.close();
    }
  },
});
