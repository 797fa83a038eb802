import { toHex } from "../base/hex.ts";
import type { Mode } from "../config/bot-key.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { KernelConfig } from "../kernel/config.ts";

/** What of a bot's configuration its kernel gets. */
export type KernelSettings = Pick<BotConfig, "execution" | "rateLimit" | "risk" | "timing"> & {
  readonly strategies: KernelConfig["strategies"];
};

/** What a mode knows only once it has started. */
export interface KernelFacts {
  readonly owner: Address;
  readonly markets: readonly Market[];
  /** The venue is the one that `touchline venue` serves. */
  readonly isPaperVenue?: boolean;
  /** From a source that nobody can guess: for the probe of a bot that signs and sends. */
  randomBytes?(count: number): Uint8Array;
}

/** The only place where a kernel's configuration is made: what a mode changes of it stands here. */
export function kernelConfig(
  { execution, rateLimit, risk, timing, strategies }: KernelSettings,
  mode: Mode,
  { owner, markets, isPaperVenue = false, randomBytes }: KernelFacts,
): KernelConfig {
  const isSimulated = mode === "paper" || mode === "replay";
  const { useModify } = execution;
  return {
    owner,
    markets,
    strategies,
    rate: rateLimit,
    risk,
    // D23 is our reading of a real venue; our own exchange does it that way.
    useModify: useModify === "always" || (useModify === "auto" && (isPaperVenue || isSimulated)),
    // A simulated venue has no second channel to compare the book with.
    timing: isSimulated ? { ...timing, auditMs: Number.POSITIVE_INFINITY } : timing,
    // Only a signature that is sent can be refused.
    probeOrderId:
      mode === "run" && randomBytes !== undefined ? (toHex(randomBytes(32)) as OrderId) : undefined,
  };
}
