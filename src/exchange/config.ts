import type { Fixed } from "../domain/fixed.ts";
import type { Address, TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";

/** Settings of an exchange. Everything but the markets has a default. */
export interface ExchangeConfig {
  readonly markets: readonly Market[];
  /** Starting balances; they cause no events. */
  readonly accounts?: ReadonlyMap<Address, ReadonlyMap<TokenId, Fixed>>;
  /** Accounts that `openOrdersOfAll` and `signers` do not hold back and whose history `historyOfAll` does not end. Default: those of `accounts`. */
  readonly exemptAccounts?: readonly Address[];
  /** What an address outside `accounts` receives the first time it is seen (D33). */
  readonly faucet?: ReadonlyMap<TokenId, Fixed>;
  /** Tokens that can be transferred and withdrawn; default: those of the markets. */
  readonly tokens?: readonly TokenId[] | undefined;
  /** The token that a native transfer moves (D8); default `1`. */
  readonly nativeToken?: TokenId | undefined;
  readonly limits?: Partial<ExchangeLimits>;
}

/** Limits on memory use, and on how far clocks may differ. */
export interface ExchangeLimits {
  /** How far a time nonce may be from the exchange's clock (D6). */
  readonly nonceWindowMs: number;
  readonly rememberedTransactions: number;
  /** Signers whose sequential nonces are remembered; further signers have to use time nonces. */
  readonly signers: number;
  /** Open orders of an account, from which its new ones are rejected. Legs that a fill places do not count as new. */
  readonly openOrdersPerAccount: number;
  /** Open orders of all accounts together, without those of the order flow. Legs that a fill places and orders of `exemptAccounts` may exceed it. */
  readonly openOrdersOfAll: number;
  /** Trades of a block, from which incoming orders are canceled. Recorded liquidity may exceed it. */
  readonly tradesPerBlock: number;
  /** Stop orders that fire in a block, and pairs of legs that are placed, together. The others follow in blocks of their own (`fireDue`). */
  readonly consequencesPerBlock: number;
  /** How many addresses the faucet serves. */
  readonly accounts: number;
  /** Number of accounts from which transfers open no new ones. */
  readonly holders: number;
  /** Accepted commands remembered for all accounts together that never owned anything. Beyond it, the accounts that were idle longest are forgotten. */
  readonly unfundedCommands: number;
  /** Ended orders, executions and transfers kept per account, each. */
  readonly historyPerAccount: number;
  /** Ended orders and executions kept of all accounts together, and as many transfers; those of `exemptAccounts` are kept besides. */
  readonly historyOfAll: number;
  readonly sessionsPerOwner: number;
  /** Withdrawals remembered for a retry. */
  readonly withdrawals: number;
  /** Public trades kept per market. */
  readonly recentTrades: number;
  readonly candlesPerResolution: number;
}

export const defaultLimits: ExchangeLimits = {
  nonceWindowMs: 60_000,
  rememberedTransactions: 100_000,
  signers: 100_000,
  openOrdersPerAccount: Number.MAX_SAFE_INTEGER,
  openOrdersOfAll: Number.MAX_SAFE_INTEGER,
  tradesPerBlock: Number.MAX_SAFE_INTEGER,
  consequencesPerBlock: Number.MAX_SAFE_INTEGER,
  accounts: 100_000,
  holders: 250_000,
  unfundedCommands: 5000,
  historyPerAccount: 10_000,
  historyOfAll: 500_000,
  sessionsPerOwner: 256,
  withdrawals: 100_000,
  recentTrades: 1000,
  // A week of minutes; the ticker needs more than a day.
  candlesPerResolution: 10_080,
};
