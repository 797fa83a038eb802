import type { BotConfig } from "../config/load-bot-config.ts";
import type { Address } from "../domain/ids.ts";
import type { KernelSettings } from "./kernel-config.ts";
import type { LivePorts } from "./live-settings.ts";

/** What of its configuration a bot on paper uses. */
export interface PaperSettings
  extends KernelSettings,
    Pick<BotConfig, "streams" | "balances" | "fees" | "latency"> {
  readonly venue: { readonly rest: string; readonly ws: string; readonly chainId: number };
  /** Undefined: an account of nobody. */
  readonly owner: Address | undefined;
  /** When the process started, our clock; the start of the bot when left out. */
  readonly processStartMs?: number;
}

/** No journal and no signer: there is nothing to find again and nothing to sign. */
export type PaperPorts = Omit<LivePorts, "store" | "signer" | "crypto"> & {
  readonly crypto: Pick<LivePorts["crypto"], "keccak256">;
};

export function paperSettings(config: BotConfig): PaperSettings {
  const { rest, ws, chainId } = config.venue;
  return {
    venue: { rest, ws, chainId },
    owner: config.account?.owner,
    rateLimit: config.rateLimit,
    risk: config.risk,
    timing: config.timing,
    execution: config.execution,
    strategies: config.strategies,
    streams: config.streams,
    balances: config.balances,
    fees: config.fees,
    latency: config.latency,
  };
}
