import { marketsOf, marketIdsOf, type TradesIn } from "../../domain/market-roles.ts";
import path from "node:path";
import { keyText } from "../../config/problem.ts";
import { showPath } from "../../config/show-path.ts";
import type { BotConfig } from "../../config/load-bot-config.ts";
import { gridRules } from "../../domain/grid-rules.ts";
import { isMarketId } from "../../domain/market-of-ticker.ts";
import { limitsFor } from "../../risk/settings.ts";
import { denialsText } from "../../metrics/denials.ts";
import { getOrMake } from "../../base/get-or-make.ts";
import { thrownText } from "../../strategy/shown.ts";
import { reviewOf } from "../../strategy/review.ts";
import type { RateDemand } from "../../config/rate-demand.ts";
import { defineCliCommand } from "../command.ts";
import { configFile } from "../demo-files.ts";
import { usageError } from "../exit-code.ts";
import { asPath, optionalArgument } from "../option.ts";
import { strategyOption, strategyOverrides } from "../strategy-option.ts";
import { pairs } from "../table.ts";
import type { Terminal } from "../terminal.ts";

export default defineCliCommand({
  summary: "validate a configuration and its plugins",
  args: {
    config: asPath(
      optionalArgument(
        "[config]",
        "YAML file of a bot, a paper venue or a sweep; with --strategy the demo's bot when left out",
      ),
    ),
  },
  options: { strategy: strategyOption },
  examples: [
    "check config/pure-market-making.yaml",
    "check --strategy strategies/wide-spread.ts",
    "check bot.yaml --strategy wide-spread.ts --set strategies.0.params.spread=0.1%",
  ],
  async run({ args, options, overrides: set, terminal, env }) {
    const { strategy } = options;
    const file = args.config ?? (strategy === undefined ? undefined : configFile("demo.yaml"));
    if (file === undefined) throw usageError("Neither a YAML file nor --strategy is given.");
    const overrides = [...strategyOverrides(strategy), ...set];
    const { readConfig } = await import("../../config/read-config.ts");
    const { fileKind } = await import("../../config/file-kind.ts");
    const source = readConfig(file, { overrides, env });
    const kind = fileKind(source);
    if (kind === "venue") {
      const { venueConfigFrom } = await import("../../config/load-venue-config.ts");
      const { markets } = venueConfigFrom(source);
      const ids = markets.map(({ base, quote }) => `${base}_${quote}`);
      terminal.emit("check", { config: file, kind: "venue", markets: ids, warnings: [] });
      terminal.print(`${file} is a valid paper venue with ${ids.join(", ")}.`);
      return;
    }
    if (kind === "sweep") {
      const { loadSweepConfig } = await import("../../config/load-sweep-config.ts");
      const { parameters } = await loadSweepConfig(file, { overrides, env });
      const names = parameters.map(({ name }) => name);
      terminal.emit("check", {
        config: file,
        kind: "sweep",
        parameters: names,
        warnings: [],
      });
      terminal.print(`${file} is a valid sweep of ${names.join(", ")}.`);
      return;
    }
    const { exposures } = await import("../exposed-files.ts");
    const { botConfigFrom } = await import("../../config/load-bot-config.ts");
    const { keyWarnings } = await import("../../config/key-warnings.ts");
    const { limitWarnings } = await import("../../config/limit-warnings.ts");
    const { demandWarnings, rateDemand } = await import("../../config/rate-demand.ts");
    const { sourceWarnings } = await import("../../config/sources-config.ts");
    const { stopWarnings } = await import("../../config/stop-time.ts");
    const config = await botConfigFrom(source, { env, needs: "nothing" });
    const warnings: string[] = [];
    if (source.at(["venue"]) === undefined) {
      warnings.push("no venue: sufficient for replay and sweep, but everything else needs one.");
    } else warnings.push(...unresolved(config));
    if (config.account === undefined) {
      warnings.push("no account: sufficient for replay and paper, but `run` needs one.");
    } else {
      const { keySource } = await import("../../platform/key-source.ts");
      const mistake = keySource(config.account.signer, env).mistake();
      if (mistake !== undefined) {
        warnings.push(`account.signer.${mistake.at.join(".")}: ${mistake.message}.`);
      }
    }
    const { alertMistakes } = await import("../../config/alerts-config.ts");
    for (const { at, message } of alertMistakes(config.alerts, env)) {
      warnings.push(`${keyText(at)}: ${message}.`);
    }
    const { impureSource } = await import("../../config/impure-source.ts");
    const files = new Set(config.strategies.map(({ plugin }) => plugin).filter(path.isAbsolute));
    warnings.push(
      ...exposures(config),
      ...keyWarnings(config),
      ...stopWarnings(config),
      ...limitWarnings(config),
      ...sourceWarnings(config.sources),
      ...demandWarnings(config),
      ...reviews(config),
      ...[...files].flatMap(impureSource),
      ...(strategy === undefined ? [] : await denials(config)),
    );
    for (const warning of warnings) terminal.warn(warning);
    show(config, rateDemand(config), warnings, terminal);
  },
});

/** The venue is not queried here. */
function unresolved({ strategies }: BotConfig): readonly string[] {
  const tickers = marketIdsOf(strategies).filter((marketId) => !isMarketId(marketId));
  if (tickers.length === 0) return [];
  return [
    `market ${shortList(tickers.map((ticker) => ticker.replace("_", "/")))}: a ticker cannot be resolved offline; the start takes its id from the venue's list, and \`touchline doctor\` shows it.`,
  ];
}

/** Warnings of the strategies about their settings, with the fees of the configuration, since the venue is not queried here; one of several strategies once. */
function reviews({ strategies, fees, risk }: BotConfig): readonly string[] {
  const rates = { makerFee: fees?.maker ?? 0, takerFee: fees?.taker ?? 0 };
  // The price is not known here: what the venue's rules allow at the highest one.
  const smallest = { size: gridRules.minSizeAt(Number.MAX_VALUE) };
  const names = new Map<string, string[]>();
  for (const { name, definition, params, marketId } of strategies) {
    const { priceCollar } = limitsFor(risk, marketId);
    for (const warning of reviewOf(definition, { params, ...rates, priceCollar }, smallest)) {
      getOrMake(names, warning, () => []).push(name);
    }
  }
  return [...names].map(([warning, of]) => `${shortList(of)}: ${warning}.`);
}

/** `a, b, c and 17 more`. */
function shortList(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
const MOST_NAMES = 3;

/** The mid of the book that a strategy is tried in. */
const TRIED_MID = 100;

/** What the bot's risk rules deny of the first quotes of the strategy, in a plain book. A strategy that fails there says why. */
async function denials({ strategies: [tried], risk }: BotConfig): Promise<readonly string[]> {
  // A trial has one market.
  if (tried === undefined || (tried.definition.markets?.length ?? 1) > 1) return [];
  const { name, definition, writtenParams } = tried;
  const { tryStrategy } = await import("../../testing/try-strategy.ts");
  const { maxOpenOrders } = risk;
  const { priceCollar } = limitsFor(risk, tried.marketId);
  try {
    const trial = await tryStrategy(definition, {
      params: writtenParams,
      risk: { priceCollar, maxOpenOrders },
    });
    trial.book({ bids: [[TRIED_MID - 0.01, 1_000]], asks: [[TRIED_MID + 0.01, 1_000]] });
    return trial.denied.length === 0
      ? []
      : [
          `${name}: in a book with a mid of ${TRIED_MID}, orders were denied: ${denialsText(trial.denied)}.`,
        ];
  } catch (thrown) {
    return [
      `${name}: fails in a book with a mid of ${TRIED_MID}: ${thrownText(thrown, "decide")}.`,
    ];
  }
}

function marketsText(one: TradesIn): string {
  const [own, ...others] = marketsOf(one);
  return [own?.marketId, ...others.map(({ role, marketId }) => `${marketId} (${role})`)].join(", ");
}

/** Shortens absolute paths for display. */
function shown(plugin: string): string {
  return path.isAbsolute(plugin) ? showPath(plugin) : plugin;
}

function show(
  config: BotConfig,
  demand: RateDemand,
  warnings: readonly string[],
  terminal: Terminal,
): void {
  const { strategies } = config;
  terminal.emit("check", {
    config: config.file,
    kind: "bot",
    strategies: strategies.map((one) => ({
      name: one.name,
      plugin: shown(one.plugin),
      market: one.marketId,
      markets: Object.fromEntries(marketsOf(one).map(({ role, marketId }) => [role, marketId])),
    })),
    demand: { ...demand, budget: config.rateLimit.perSecond },
    warnings,
  });
  terminal.print(`${config.file} is a valid bot.`);
  terminal.print(
    pairs(
      strategies.map(({ name, plugin, definition: { summary }, ...one }) => [
        `  ${name}`,
        `${shown(plugin)} in market ${marketsText(one)}${summary === undefined ? "" : `: ${summary}`}`,
      ]),
    ),
  );
  if (demand.quotes > 0) {
    const { perSecond } = config.rateLimit;
    terminal.print(
      `Its quotes take up to ${demand.perSecond} of ${perSecond} requests a second (rateLimit.perSecond).`,
    );
  }
}
