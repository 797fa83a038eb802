import { defaultStreamTiming } from "../gateway/stream-timing.ts";
import type { RecordedStrategy } from "../journal/entry.ts";
import { riskSchema } from "../risk/settings.ts";
import type { LiveSettings } from "../runtime/live-settings.ts";
import {
  SECOND_MARKET_MAKER,
  type Scenario,
  type SimulatedSources,
  simulatedChainId,
} from "./scenario.ts";
import type { SourceSettings } from "../config/sources-config.ts";
import { PRICES_URL } from "./price-server.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";
import { MEETER, SECOND_MARKET, simulatedMarket } from "./simulated-markets.ts";
import type { SimulatedBotOptions } from "./simulated-bot-options.ts";

export const journalFolder = "journal";

/** Strategies as a YAML or the header of a journal has them. */
type WrittenStrategies = readonly Pick<
  RecordedStrategy,
  "name" | "plugin" | "params" | "otherMarkets"
>[];

/** The strategies in the YAML of the process with this number; where the YAML changes, each second one has another. */
function writtenStrategies(scenario: Scenario, start: number): WrittenStrategies {
  const { params, isOwnStrategy, hasSecondStrategy, yamlChanges, secondMarket } = scenario;
  const plugin = "pure-market-making";
  const isOther = yamlChanges && start % 2 === 0;
  const other = { ...params, levels: 1, bidSpread: "0.1%", tolerance: "0%" };
  const second = hasSecondStrategy ? [{ name: MEETER, plugin, params }] : [];
  if (secondMarket?.role !== undefined) {
    const { role } = secondMarket;
    const both = isOwnStrategy ? params : { [OWN_MARKET]: params, [role]: secondMarket.params };
    const otherMarkets = { [role]: SECOND_MARKET };
    return [{ name: "maker", plugin, params: both, otherMarkets }, ...second];
  }
  const first = isOther
    ? { name: "renamed", plugin, params: other }
    : { name: "maker", plugin, params };
  return [
    first,
    ...second,
    ...(secondMarket === undefined
      ? []
      : [{ name: SECOND_MARKET_MAKER, plugin, params: secondMarket.params }]),
  ];
}

/** Written strategies with their definitions. */
export function simulatedStrategies(
  { strategy: maker, paired, meeter }: Pick<SimulatedBotOptions, "strategy" | "paired" | "meeter">,
  written: WrittenStrategies,
): LiveSettings["strategies"] {
  return written.map(({ name, plugin, params: writtenParams, otherMarkets }) => {
    const definition = name === MEETER ? meeter : otherMarkets === undefined ? maker : paired;
    const params = definition.params.parse(writtenParams);
    const marketId = name === SECOND_MARKET_MAKER ? SECOND_MARKET : simulatedMarket;
    const markets = { marketId, ...(otherMarkets === undefined ? {} : { otherMarkets }) };
    return { name, plugin, definition, params, writtenParams, ...markets, seed: 1 };
  });
}

/** A move beyond this share is doubted: prices of the service move far less, unless a fault makes them jump. */
const JUMP = { share: 0.05 };

function sourceOf(name: string, { maxAgeMs, whenOld }: SimulatedSources): SourceSettings {
  const paths = { bid: "bid", ask: "ask", time: "time" };
  return {
    name,
    origin: { type: "input" },
    maxAgeMs,
    whenOld,
    jump: JUMP,
    feed: { type: "json", url: PRICES_URL, everyMs: 1_000, send: undefined, paths },
  };
}

/** The settings of the process with this number. */
export function simulatedSettings(options: SimulatedBotOptions, start: number): LiveSettings {
  const { scenario, session, signer } = options;
  const { maxPosition, secondMarket, triggers, rate, useModify, durability, timing } = scenario;
  const { sources } = scenario;
  const widened = sources === undefined ? {} : { widenBy: sources.widenBy };
  const markets =
    secondMarket === undefined
      ? {}
      : { [SECOND_MARKET]: { maxPosition: secondMarket.maxPosition } };
  const strategies = simulatedStrategies(options, writtenStrategies(scenario, start));
  const limits = ["maxPosition", "maxOrderNotional"] as const;
  return {
    venue: {
      rest: "http://127.0.0.1:8717",
      ws: "ws://127.0.0.1:8717/ws",
      chainId: simulatedChainId,
    },
    owner: session === undefined ? undefined : signer.address,
    rateLimit: rate,
    ...(scenario.derivesLimits
      ? {
          risk: riskSchema.parse({ triggers, ...widened }),
          unsetLimits: { limits, dayLoss: strategies.map(({ name }) => name) },
        }
      : { risk: riskSchema.parse({ maxPosition, markets, triggers, ...widened }) }),
    timing,
    execution: { useModify },
    streams: defaultStreamTiming,
    journal: { path: journalFolder, durability, keep: {} },
    strategies,
    ...(sources && { sources: sources.names.map((name) => sourceOf(name, sources)) }),
    configText: "",
    codeVersion: "simulated",
  };
}
