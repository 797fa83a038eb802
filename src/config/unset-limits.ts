import { type CurrencySettings, currencyOf } from "../domain/reporting-currency.ts";
import { isAtLeast } from "../domain/risk-step.ts";
import type { LimitsToDerive } from "../kernel/config.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { BotDocument } from "./bot-config.ts";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";

/** The limits that a file leaves unset. */
export interface UnsetLimits extends Pick<LimitsToDerive, "limits"> {
  /** The strategies whose losses neither the file's stop for the bot nor one of their own stops. */
  readonly dayLoss: readonly string[];
}

/** The limits to derive, once the markets have ids: the bot gets one loss stop where all amounts can be added up in one currency. */
export function limitsToDerive(
  { limits, dayLoss }: UnsetLimits,
  settings: CurrencySettings,
): LimitsToDerive {
  const isWhole = dayLoss.length > 0 && currencyOf(settings) !== undefined;
  return { limits, dayLoss: isWhole ? "bot" : dayLoss };
}

/** Which limits the file leaves unset: null is a setting. */
export function unsetLimits(
  source: YamlSource,
  { risk, strategies }: Pick<BotDocument, "risk" | "strategies">,
): UnsetLimits {
  const isUnset = (path: ConfigPath): boolean => source.at(path) === undefined;
  const isOff = (path: ConfigPath): boolean => source.at(path) === null;
  const stopsLoss = (path: ConfigPath, triggers: TriggerValues): boolean =>
    isOff([...path, "triggers", "dayLoss"]) || hasLossStop(triggers);
  const limits = (["maxPosition", "maxOrderNotional"] as const).filter((limit) =>
    isUnset(["risk", limit]),
  );
  if (stopsLoss(["risk"], risk.triggers)) return { limits, dayLoss: [] };
  const unstopped = strategies.flatMap(({ name, risk: own }, index) =>
    stopsLoss(["strategies", index, "risk"], own.triggers) ? [] : [name],
  );
  return { limits, dayLoss: unstopped };
}

/** Whether losses pause or halt. */
function hasLossStop({ sessionLoss, dayLoss, drawdown }: TriggerValues): boolean {
  return [sessionLoss, dayLoss, drawdown].some((settings) =>
    settings?.steps.some(({ step }) => isAtLeast(step, "pause")),
  );
}
