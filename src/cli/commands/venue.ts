import { defineCliCommand } from "../command.ts";
import { asPath, durationOption, integer, optionalArgument, textOr } from "../option.ts";

export default defineCliCommand({
  summary: "run a paper venue with the venue's whole interface on this machine",
  args: {
    config: asPath(
      optionalArgument(
        "[config]",
        "YAML file of the venue (default: ETH/USDT with a moving market)",
      ),
    ),
  },
  options: {
    host: textOr("--host <host>", "address to listen on", "127.0.0.1"),
    port: integer("--port <n>", "port to listen on; 0 picks a free one", {
      min: 0,
      max: 65_535,
      fallback: 8717,
    }),
    duration: durationOption("--duration <time>", "end after this time, such as 5m"),
  },
  examples: ["venue", "venue my-venue.yaml --port 0 --json", "venue --set flow=none"],
  endsBySignal: true,
  async run({ args, options, overrides, terminal, interrupt, env }) {
    const { loadVenueConfig } = await import("../../config/load-venue-config.ts");
    const { openLog } = await import("../log.ts");
    const { openPaperVenue } = await import("../paper-venue.ts");
    const config = loadVenueConfig(args.config, { overrides, env });
    const running = await openPaperVenue({
      config,
      host: options.host,
      port: options.port,
      log: openLog("warn", env),
    });
    terminal.emit("listening", { rest: running.rest, ws: running.ws });
    const symbols = new Map(config.tokens.map((token) => [token.tokenId, token.symbol]));
    const markets = config.markets.map(
      ({ base, quote }) => `${base}_${quote} ${symbols.get(base)}/${symbols.get(quote)}`,
    );
    terminal.say(`${terminal.bold("Paper venue")} ${running.rest}  ${running.ws}`);
    terminal.say(`  markets ${markets.join(", ")}; chain id ${config.chainId}; flow ${flowText()}`);
    terminal.say(terminal.dim("  Ctrl-C ends it."));
    try {
      await interrupt.ended(options.duration);
    } finally {
      await running.close();
    }

    function flowText(): string {
      if (typeof config.flow === "string") return config.flow;
      return "replay" in config.flow
        ? `recording ${config.flow.replay} at speed ${config.flow.speed}`
        : "synthetic";
    }
  },
});
