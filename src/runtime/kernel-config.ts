import { toHex } from "../base/hex.ts";
import { BOOK_LEVELS_MAX } from "../book/book-sync.ts";
import type { Mode } from "../config/bot-key.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { KernelConfig, KernelTiming } from "../kernel/config.ts";

/** The part of a bot's configuration that its kernel uses. */
export type KernelSettings = Pick<BotConfig, "execution" | "rateLimit" | "risk" | "timing"> & {
  readonly strategies: KernelConfig["strategies"];
};

/** Facts that a mode knows only once it has started. */
export interface KernelFacts {
  readonly owner: Address;
  readonly markets: readonly Market[];
  /** True when the venue is one that `touchline venue` serves. */
  readonly isPaperVenue?: boolean;
  /** How long the venue may accept a time nonce; left out where every request gets its response. */
  readonly nonceWindowMs?: number;
  /** Tokens of the rate budget that the start has used. Default 0. */
  readonly spent?: number;
  /** Cryptographically secure; for the probe of a bot that signs and sends. */
  randomBytes?(count: number): Uint8Array;
}

/** The learned rate stays above this share of `rateLimit.perSecond`. */
const RATE_FLOOR = 0.05;

/** Makes the kernel's configuration for every mode, with the differences between the modes. */
export function kernelConfig(
  { execution, rateLimit, risk, timing, strategies }: KernelSettings,
  mode: Mode,
  { owner, markets, isPaperVenue = false, nonceWindowMs, spent = 0, randomBytes }: KernelFacts,
): KernelConfig {
  const isSimulated = mode === "paper" || mode === "replay";
  const { useModify } = execution;
  return {
    owner,
    markets,
    strategies,
    nonceWindowMs,
    rate: { ...rateLimit, floorPerSecond: rateLimit.perSecond * RATE_FLOOR, spent },
    unusedNonces: true,
    bookLevelsMax: BOOK_LEVELS_MAX,
    risk,
    // D23 is an assumption about real venues; our own exchange is known to follow it.
    useModify: useModify === "always" || (useModify === "auto" && (isPaperVenue || isSimulated)),
    timing: isSimulated ? simulatedTiming(timing) : timing,
    // The probe tests whether the venue accepts the signature, so only a mode that sends has one.
    probeOrderId:
      mode === "run" && randomBytes !== undefined ? (toHex(randomBytes(32)) as OrderId) : undefined,
  };
}

/** Timing without a look for other bots at the start. */
export function unobserved(timing: KernelTiming): KernelTiming {
  const { observeMs: _observe, ...rest } = timing;
  return rest;
}

/** All data of a simulated venue come from one source, so no channel can be ahead of another; nobody else is on its account. */
function simulatedTiming(timing: KernelTiming): KernelTiming {
  const never = Number.POSITIVE_INFINITY;
  return { ...unobserved(timing), auditMs: never, channelCheckMs: never };
}
