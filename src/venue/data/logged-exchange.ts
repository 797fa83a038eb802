import type { FlatLevels } from "../../domain/depth.ts";
import type { Fixed } from "../../domain/fixed.ts";
import type { Address, MarketId, OrderId, TokenId } from "../../domain/ids.ts";
import { unixMs, type UnixMs } from "../../domain/time.ts";
import type {
  CommandOptions,
  ExchangeCommand,
  VerifiedTransaction,
} from "../../exchange/command.ts";
import type { ExchangeConfig } from "../../exchange/config.ts";
import { Exchange } from "../../exchange/exchange.ts";
import type { FlowTrade } from "../../exchange/recorded-liquidity.ts";
import type { CommandResult, Block } from "../../exchange/records.ts";
import type { Layer1Outcome, RetryResult } from "../../exchange/withdrawals.ts";
import type { Action } from "./action.ts";

/** Members of `Exchange` that change nothing, or that only the venue's start uses. */
type Unlogged =
  | "ledger"
  | "blockNumber"
  | "markets"
  | "hasMarket"
  | "hasToken"
  | "hasDue"
  | "balances"
  | "order"
  | "orderStatus"
  | "statusOf"
  | "openOrders"
  | "endedOrders"
  | "userTrades"
  | "transfers"
  | "nextWithdrawal"
  | "sessions"
  | "book"
  | "publicTrades"
  | "ticker"
  | "candles"
  | "recordedLiquidity"
  | "setFees"
  | "save"
  | "restore";
type Logged =
  | "submit"
  | "execute"
  | "settleWithdrawal"
  | "retryWithdrawal"
  | "deposit"
  | "see"
  | "flowDepth"
  | "flowTrade"
  | "clearFlows"
  | "fireDue";

/** A member of Exchange that is in neither list does not compile: an action that is not logged would be lost at a restart. */
type Unsorted = Exclude<keyof Exchange, Unlogged | Logged>;
const everyMemberIsSorted: [Unsorted] extends [never] ? true : Unsorted = true;
void everyMemberIsSorted;

/**
 * An exchange that logs every action that made a block, before the call returns. Nothing changes without a block (D30), so refused
 * actions are not logged.
 */
export class LoggedExchange extends Exchange {
  readonly #log: (action: Action) => void;
  #latestMs = 0;

  constructor(
    config: ExchangeConfig,
    listener: (block: Block) => void,
    log: (action: Action) => void,
  ) {
    super(config, listener);
    this.#log = log;
  }

  override submit(transaction: VerifiedTransaction, nowMs: UnixMs): CommandResult {
    const atMs = this.#time(nowMs);
    return this.#logging({ type: "submit", atMs, transaction }, () =>
      super.submit(transaction, atMs),
    );
  }

  override execute(
    account: Address,
    command: ExchangeCommand,
    nowMs: UnixMs,
    options: CommandOptions = {},
  ): CommandResult {
    const atMs = this.#time(nowMs);
    return this.#logging({ type: "execute", atMs, account, command, options }, () =>
      super.execute(account, command, atMs, options),
    );
  }

  override settleWithdrawal(txHash: OrderId, outcome: Layer1Outcome, nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    this.#logging({ type: "settle-withdrawal", atMs, txHash, outcome }, () =>
      super.settleWithdrawal(txHash, outcome, atMs),
    );
  }

  override retryWithdrawal(txHash: OrderId, nowMs: UnixMs): RetryResult {
    const atMs = this.#time(nowMs);
    return this.#logging({ type: "retry-withdrawal", atMs, txHash }, () =>
      super.retryWithdrawal(txHash, atMs),
    );
  }

  override deposit(account: Address, amounts: ReadonlyMap<TokenId, Fixed>, nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    this.#logging({ type: "deposit", atMs, account, amounts }, () =>
      super.deposit(account, amounts, atMs),
    );
  }

  override see(address: Address, nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    this.#logging({ type: "see", atMs, account: address }, () => super.see(address, atMs));
  }

  override flowDepth(marketId: MarketId, bids: FlatLevels, asks: FlatLevels, nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    this.#logging({ type: "flow-depth", atMs, marketId, bids, asks }, () =>
      super.flowDepth(marketId, bids, asks, atMs),
    );
  }

  override flowTrade(marketId: MarketId, trade: FlowTrade, nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    // Logged always: the first recorded trade creates the flow's accounts, even when it makes no block.
    this.#log({ type: "flow-trade", atMs, marketId, trade });
    super.flowTrade(marketId, trade, atMs);
  }

  override clearFlows(nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    this.#logging({ type: "clear-flows", atMs }, () => super.clearFlows(atMs));
  }

  override fireDue(nowMs: UnixMs): void {
    const atMs = this.#time(nowMs);
    this.#logging({ type: "fire-due", atMs }, () => super.fireDue(atMs));
  }

  #logging<Result>(action: Action, act: () => Result): Result {
    const before = this.blockNumber;
    const result = act();
    if (this.blockNumber !== before) this.#log(action);
    return result;
  }

  /** The exchange's time never goes back, and a repeated action needs the time it had. */
  #time(nowMs: UnixMs): UnixMs {
    this.#latestMs = Math.max(this.#latestMs, nowMs);
    return unixMs(this.#latestMs);
  }
}
