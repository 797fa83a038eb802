import { limits } from "../risk/rules.ts";
import type { RiskSettings } from "../risk/settings.ts";
import type { BotDocument } from "./bot-config.ts";
import type { BotKey } from "./bot-key.ts";
import type { YamlSource } from "./parse-yaml.ts";

/** Requests of a stop for each order: its cancel, and a query when no event shows its end. */
const REQUESTS_PER_ORDER = 2;

/** How many orders a stop can cancel within `timing.stop` at the bot's rate limit; at least 1. */
function stoppableOrders({ rateLimit, timing }: Pick<BotDocument, "rateLimit" | "timing">): number {
  const requests = (rateLimit.perSecond * timing.stopMs) / 1000;
  return Math.max(1, Math.floor(requests / REQUESTS_PER_ORDER));
}

/** The document's risk settings. A `maxOpenOrders` that neither the file nor a flag sets is lowered to what a stop has time to cancel. */
export function stoppableRisk(source: YamlSource, document: BotDocument): RiskSettings {
  const { risk } = document;
  if (risk.maxOpenOrders === null || source.at(["risk", "maxOpenOrders"]) !== undefined)
    return risk;
  return { ...risk, maxOpenOrders: Math.min(risk.maxOpenOrders, stoppableOrders(document)) };
}

/** A warning when `stoppableRisk` has lowered `maxOpenOrders`, or when the file allows more orders than a stop has time to cancel. */
export function stopWarnings(
  config: Pick<BotDocument, "rateLimit" | "timing" | "risk"> & {
    readonly written: readonly BotKey[];
  },
): readonly string[] {
  const { rateLimit, timing, risk, written } = config;
  const { maxOpenOrders } = risk;
  const most = stoppableOrders(config);
  const time = `a stop has time for ${most}: rateLimit.perSecond is ${rateLimit.perSecond}, timing.stop ${timing.stopMs / 1000} s, and each may take a cancel and a query`;
  const isWritten = written.some(({ path }) => path === "risk.maxOpenOrders");
  if (!isWritten) {
    return maxOpenOrders === most && most < (limits.maxOpenOrders.default ?? 0)
      ? [`at most ${most} orders are open at the same time (risk.maxOpenOrders), since ${time}.`]
      : [];
  }
  return maxOpenOrders !== null && maxOpenOrders <= most
    ? []
    : [
        `risk.maxOpenOrders allows ${maxOpenOrders ?? "any number of"} orders, and ${time}. It may leave the others open.`,
      ];
}
