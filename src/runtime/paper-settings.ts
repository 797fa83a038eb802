import type { BotConfig } from "../config/load-bot-config.ts";
import type { Address } from "../domain/ids.ts";
import type { KernelSettings } from "./kernel-config.ts";
import { connectedSettings, type LivePorts } from "./live-settings.ts";

/** The part of its configuration that a bot on paper uses. */
export interface PaperSettings
  extends KernelSettings,
    Pick<BotConfig, "streams" | "balances" | "models"> {
  readonly venue: { readonly rest: string; readonly ws: string; readonly chainId: number };
  readonly flattensAtStop?: readonly string[];
  /** Undefined: a placeholder account (`NOBODY`). */
  readonly owner: Address | undefined;
  /** Unix time at which the process started; defaults to the start of the bot. */
  readonly processStartMs?: number;
  /** A call of a strategy that takes longer is warned about. Default 50 ms. */
  readonly slowCallMs?: number;
}

/** The ports of a live bot without a store and a signer: nothing is journaled and nothing is signed. */
export type PaperPorts = Omit<LivePorts, "store" | "segments" | "signer" | "crypto"> & {
  readonly crypto: Pick<LivePorts["crypto"], "keccak256">;
};

export function paperSettings(config: BotConfig): PaperSettings {
  return {
    ...connectedSettings(config),
    balances: config.balances,
    models: config.models,
  };
}
