import type { TokenId } from "../domain/ids.ts";
import { isAtLeast } from "../domain/risk-step.ts";
import type { LimitsToDerive } from "../kernel/config.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { BotDocument } from "./bot-config.ts";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";

/** Which limits the file leaves unset, so that the kernel derives them: null is a setting. */
export function unsetLimits(
  source: YamlSource,
  { risk, strategies }: Pick<BotDocument, "risk" | "strategies">,
  reportingCurrency: TokenId | undefined,
): LimitsToDerive {
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
  const isWhole = reportingCurrency !== undefined && unstopped.length > 0;
  return { limits, dayLoss: isWhole ? "bot" : unstopped };
}

/** Whether losses pause or halt. */
function hasLossStop({ sessionLoss, dayLoss, drawdown }: TriggerValues): boolean {
  return [sessionLoss, dayLoss, drawdown].some((settings) =>
    settings?.steps.some(({ step }) => isAtLeast(step, "pause")),
  );
}
