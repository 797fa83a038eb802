import type { Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { SelfTradeRule } from "./matching.ts";

/** What an exchange is made of. Everything but the markets has a default. */
export interface ExchangeConfig {
  readonly markets: readonly Market[];
  /** Balances that accounts start with, without an event. */
  readonly accounts?: ReadonlyMap<Address, ReadonlyMap<TokenId, Fixed>>;
  /** What an address that is not in `accounts` gets the first time it is seen (D33). */
  readonly faucet?: ReadonlyMap<TokenId, Fixed>;
  /** Tokens that can be transferred and withdrawn; default: those of the markets. */
  readonly tokens?: readonly TokenId[] | undefined;
  /** What a native transfer moves (D8); default `1`. */
  readonly nativeToken?: TokenId | undefined;
  /** Default `cancel-incoming` (D17). */
  readonly selfTrade?: SelfTradeRule;
  readonly limits?: Partial<ExchangeLimits>;
}

/** Bounds of memory, and of the clock. */
export interface ExchangeLimits {
  /** How far a time nonce may be off (D6). */
  readonly nonceWindowMs: number;
  readonly rememberedTransactions: number;
  /** Signers whose sequential nonces are remembered; beyond them new ones have to use time nonces. */
  readonly signers: number;
  /** Addresses the faucet serves at most. */
  readonly accounts: number;
  /** Accounts there may be before transfers open no further ones. */
  readonly holders: number;
  /** Accepted commands remembered of all accounts together that never owned anything; the oldest of them are forgotten whole. */
  readonly unfundedCommands: number;
  /** Ended orders, executions and transfers, of each kind. */
  readonly historyPerAccount: number;
  readonly sessionsPerOwner: number;
  /** Withdrawals remembered, so that they can be retried. */
  readonly withdrawals: number;
  /** Public trades kept of each market. */
  readonly recentTrades: number;
  readonly candlesPerResolution: number;
}

export const defaultLimits: ExchangeLimits = {
  nonceWindowMs: 60_000,
  rememberedTransactions: 100_000,
  signers: 100_000,
  accounts: 100_000,
  holders: 250_000,
  unfundedCommands: 5000,
  historyPerAccount: 10_000,
  sessionsPerOwner: 256,
  withdrawals: 100_000,
  recentTrades: 1000,
  // A week of minutes; more than a day's worth is needed for the ticker.
  candlesPerResolution: 10_080,
};
