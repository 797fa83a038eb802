import { toHex } from "../base/hex.ts";
import type { Mode } from "../config/bot-key.ts";
import { currencyMistakes } from "../config/currency-mistakes.ts";
import { keyText } from "../config/problem.ts";
import { limitsToDerive, type UnsetLimits } from "../config/unset-limits.ts";
import { TouchlineError } from "../base/error.ts";
import { currencyOf } from "../domain/reporting-currency.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { SourceSettings } from "../config/sources-config.ts";
import type { TriggerValues } from "../risk/ladder.ts";
import type { Address, OrderId, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type {
  LimitsToDerive,
  KernelConfig,
  KernelTiming,
  LadderConfig,
  StrategyBinding,
} from "../kernel/config.ts";

/** The part of a bot's configuration that its kernel uses. */
export type KernelSettings = Pick<BotConfig, "execution" | "rateLimit" | "risk" | "timing"> & {
  /** Left out by modes that send nothing. */
  readonly guard?: Pick<BotConfig["guard"], "refresh" | "required">;
  /** Left out where no limits are derived. */
  readonly unsetLimits?: UnsetLimits;
  readonly reportingCurrency?: TokenId | undefined;
  readonly sources?: readonly SourceSettings[];
  readonly strategies: readonly (StrategyBinding & { readonly triggers?: TriggerValues })[];
};

/** The risk ladder; undefined without triggers, derived ones included, and without a source that widens quotes. */
function ladderOf(
  { risk, strategies, sources = [] }: Pick<KernelSettings, "risk" | "strategies" | "sources">,
  limitsToDerive: LimitsToDerive | undefined,
): LadderConfig | undefined {
  const own = strategies.map(({ name, triggers = {} }) => [name, triggers] as const);
  const { triggers, widenBy } = risk;
  const isLossDerived = limitsToDerive !== undefined && limitsToDerive.dayLoss.length > 0;
  const isWidened = sources.some(({ whenOld }) => whenOld === "widen");
  if (!isLossDerived && !isWidened && [triggers, ...own.map(([, values]) => values)].every(isEmpty))
    return undefined;
  return {
    bot: triggers,
    strategies: Object.fromEntries(own),
    widenBy,
  };
}

function isEmpty(values: TriggerValues): boolean {
  return Object.values(values).every((settings) => settings === undefined);
}

/** Facts that a mode knows only once it has started. */
export interface KernelFacts {
  readonly owner: Address;
  readonly markets: readonly Market[];
  /** How long the venue may accept a time nonce; left out where every request gets its response. */
  readonly nonceWindowMs?: number;
  /** Tokens of the rate budget that the start has used. Default 0. */
  readonly spent?: number;
  /** Cryptographically secure; for the probe of a bot that signs and sends. */
  randomBytes?(count: number): Uint8Array;
}

/**
 * Makes the kernel's configuration for every mode, with the differences between the modes. The settings' markets have ids. Throws
 * `CONFIG_INVALID` for what counts in a currency to which these markets do not lead.
 */
export function kernelConfig(
  settings: KernelSettings,
  mode: Mode,
  { owner, markets, nonceWindowMs, spent = 0, randomBytes }: KernelFacts,
): KernelConfig {
  const { execution, rateLimit, risk, timing, strategies, guard, unsetLimits } = settings;
  const sources = (settings.sources ?? []).map(({ name, origin, maxAgeMs, whenOld, jump }) => {
    return { name, origin, maxAgeMs, whenOld, jump };
  });
  for (const { path, message } of currencyMistakes(settings)) {
    throw new TouchlineError("CONFIG_INVALID", `${keyText(path)}: ${message}.`);
  }
  const isSimulated = mode === "paper" || mode === "replay";
  const { triggers: _, widenBy: __, ...limits } = risk;
  // A replay compares settings, and its recorded account may be of any size.
  const toDerive =
    mode === "replay" || unsetLimits === undefined
      ? undefined
      : limitsToDerive(unsetLimits, settings);
  return {
    owner,
    markets,
    strategies,
    ...(sources.length === 0 ? {} : { sources }),
    nonceWindowMs,
    rate: { ...rateLimit, spent },
    carriesPositions: mode !== "replay",
    guard:
      guard === undefined || mode !== "run"
        ? undefined
        : { refreshMs: refreshOf(guard.refresh, nonceWindowMs), isRequired: guard.required },
    risk: limits,
    ladder: ladderOf(settings, toDerive),
    limitsToDerive: toDerive,
    reportingCurrency: currencyOf(settings),
    useModify: execution.useModify,
    timing: isSimulated ? simulatedTiming(timing) : timing,
    // The probe tests whether the venue accepts the signature, so only a mode that sends has one.
    probeOrderId:
      mode === "run" && randomBytes !== undefined ? (toHex(randomBytes(32)) as OrderId) : undefined,
  };
}

/** The configuration of a live kernel as it is at a simulated venue: without what a signed and guarded connection needs. */
export function atSimulatedVenue(config: KernelConfig): KernelConfig {
  const timing = simulatedTiming(config.timing);
  return { ...config, guard: undefined, timing, probeOrderId: undefined };
}

/** A guard needs most of the nonce window for an outage of the venue. */
function refreshOf(refreshMs: number, nonceWindowMs: number | undefined): number {
  return nonceWindowMs === undefined ? refreshMs : Math.min(refreshMs, nonceWindowMs / 4);
}

/** Timing without a look for other bots at the start. */
export function unobserved(timing: KernelTiming): KernelTiming {
  return { ...timing, observeMs: 0 };
}

/**
 * All data of a simulated venue come from one source, so no channel can be ahead of another and no balance can drift; its markets never
 * change; nobody else is on its account.
 */
function simulatedTiming(timing: KernelTiming): KernelTiming {
  const never = Number.POSITIVE_INFINITY;
  const none = { marketsMs: never, auditMs: never, channelCheckMs: never, driftMs: never };
  return { ...unobserved(timing), ...none };
}
