/**
 * The room `exchange`: a whole exchange in memory, for the paper venue, replay, paper and simulation.
 *
 * A command reaches `CommandProcessor`, which checks nonce and signer, then `OrderEntry` and `Admission`, which check the rules and the money.
 * `Matching` trades it in its `ExchangeMarket` and books the result in `Ledger` and `OrderIndex`. `Contingencies` fires the stop orders and places
 * the legs that follow. `BlockBuilder` collects all of it into one `Block`, which the listener gets before the call returns.
 * `RecordedLiquidity` plays recorded or live market data into a market: its levels are numbers, and become orders where an order meets them.
 * Everything that changes is saved as `SnapshotPart`s.
 *
 * Deterministic: no clock, no I/O, no randomness. Imports base, domain, spec and book.
 */

import { assert } from "../base/assert.ts";
import type { FlatLevels } from "../domain/depth.ts";
import type { Fixed } from "../domain/fixed.ts";
import { tokenId, type Address, type MarketId, type OrderId, type TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Balance, OrderStatus } from "../domain/order.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Resolution } from "../domain/candle.ts";
import { BlockBuilder, type MarketDataListener } from "./block-builder.ts";
import type { CandleRecord } from "./candles.ts";
import type { CommandOptions, ExchangeCommand, VerifiedTransaction } from "./command.ts";
import { CommandProcessor } from "./command-processor.ts";
import { Contingencies } from "./contingencies.ts";
import { defaultLimits, type ExchangeConfig, type ExchangeLimits } from "./config.ts";
import { FeeRate } from "./fee-rate.ts";
import { Faucet } from "./faucet.ts";
import { type SnapshotPart, partNow, type SavedRows } from "./snapshot.ts";
import { Ledger } from "./ledger.ts";
import { ExchangeMarket } from "./exchange-market.ts";
import { Matching } from "./matching.ts";
import { OrderEntry } from "./order-entry.ts";
import { OrderIndex } from "./order-index.ts";
import {
  type ListFilter,
  listOrders,
  listTrades,
  listTransfers,
  type TransferFilter,
} from "./order-lists.ts";
import { type QueueModel, riskAverseQueue } from "./queue-model.ts";
import {
  RecordedLiquidity,
  type RecordedLiquidityRow,
  type FlowTrade,
} from "./recorded-liquidity.ts";
import { RecordIds } from "./record-ids.ts";
import type {
  CommandResult,
  Block,
  BookRecord,
  OrderRecord,
  TickerRecord,
  TradeRecord,
  TransferRecord,
  UserTrade,
} from "./records.ts";
import { SavedOrders } from "./saved-orders.ts";
import { SessionBook, type SessionRecord } from "./session-book.ts";
import { tickerOf } from "./ticker.ts";
import { TokenTransfers } from "./token-transfers.ts";
import {
  type Layer1Outcome,
  type RetryResult,
  type WithdrawalRecord,
  Withdrawals,
} from "./withdrawals.ts";

/** Clock, newest block and its time, newest record id, and the number of trades and executions. */
type HeadRow = readonly [
  nowMs: number,
  block: number,
  blockTimeMs: number,
  records: number,
  counts: readonly [trades: number, userTrades: number],
];

/**
 * The whole exchange in memory, without clock or I/O; the paper venue, replay and simulation share it. It is deterministic.
 * Time is an argument and never goes back: an earlier time counts as the latest one. The listener gets each block before the
 * call returns, and must not change the exchange.
 */
export class Exchange {
  readonly ledger = new Ledger();
  readonly #limits: ExchangeLimits;
  readonly #markets = new Map<MarketId, ExchangeMarket>();
  readonly #blocks: BlockBuilder;
  readonly #index: OrderIndex;
  readonly #matching: Matching;
  readonly #contingencies: Contingencies;
  readonly #recordIds = new RecordIds();
  readonly #commands: CommandProcessor;
  readonly #faucet: Faucet;
  readonly #transfers: TokenTransfers;
  readonly #withdrawals: Withdrawals;
  readonly #sessions: SessionBook;
  readonly #recorded = new Map<MarketId, RecordedLiquidity>();
  #nowMs = 0;

  /** `marketData` gets the depth of recorded markets, and the recorded trades that move no order; left out, they are in blocks. */
  constructor(
    config: ExchangeConfig,
    listener?: (block: Block) => void,
    marketData?: MarketDataListener,
  ) {
    this.#limits = { ...defaultLimits, ...config.limits };
    for (const market of config.markets) {
      assert(!this.#markets.has(market.marketId), "each market is configured once");
      this.#markets.set(market.marketId, new ExchangeMarket(market, this.#limits));
      this.ledger.fundRebates(market, market.makerFee, market.takerFee);
    }
    this.#blocks = new BlockBuilder(listener, this.#limits.tradesPerBlock, marketData);
    const exempt = new Set(config.exemptAccounts ?? config.accounts?.keys());
    this.#index = new OrderIndex(this.#limits, exempt);
    this.#matching = new Matching(this.ledger, this.#blocks, this.#index);
    this.#contingencies = new Contingencies(this.ledger, this.#blocks, this.#index, this.#matching);
    this.#contingencies.perBlock = this.#limits.consequencesPerBlock;
    this.#matching.watchWith(this.#contingencies);
    this.#blocks.beforeClose(() => this.#contingencies.settle());
    this.#faucet = new Faucet(
      this.ledger,
      this.#blocks,
      config.faucet ?? new Map(),
      this.#limits.accounts,
    );
    this.#withdrawals = new Withdrawals(this.#blocks, this.#limits.withdrawals);
    this.#sessions = new SessionBook(this.#limits);
    const parts = {
      markets: this.#markets,
      ledger: this.ledger,
      blocks: this.#blocks,
      index: this.#index,
      matching: this.#matching,
      recordIds: this.#recordIds,
      faucet: this.#faucet,
      withdrawals: this.#withdrawals,
      sessions: this.#sessions,
    };
    this.#transfers = new TokenTransfers(parts, {
      tokens: new Set(
        config.tokens ?? config.markets.flatMap((market) => [market.baseToken, market.quoteToken]),
      ),
      nativeToken: config.nativeToken ?? tokenId("1"),
      historyPerAccount: this.#limits.historyPerAccount,
      historyOfAll: this.#limits.historyOfAll,
      exempt,
      holders: this.#limits.holders,
    });
    this.#commands = new CommandProcessor(
      { ...parts, orders: new OrderEntry(parts), transfers: this.#transfers },
      this.#limits,
      exempt,
    );
    for (const [address, balances] of config.accounts ?? []) {
      const account = this.ledger.account(address);
      for (const [token, amount] of balances) this.ledger.deposit(account, token, amount);
      this.#faucet.markSeen(address);
    }
  }

  /** Carries out a signed transaction (§4.4). Its owner counts as seen (D33). */
  submit(transaction: VerifiedTransaction, nowMs: UnixMs): CommandResult {
    return this.#commands.submit(transaction, this.#clock(nowMs));
  }

  /** Carries out a command without a signature, for order flow, replay and simulation. */
  execute(
    account: Address,
    command: ExchangeCommand,
    nowMs: UnixMs,
    options: CommandOptions = {},
  ): CommandResult {
    const atMs = this.#clock(nowMs);
    return this.#commands.execute(this.ledger.account(account), command, atMs, options);
  }

  /** Ends the layer-1 phase of a waiting withdrawal (D33). The caller decides when, and with which outcome. */
  settleWithdrawal(txHash: OrderId, outcome: Layer1Outcome, nowMs: UnixMs): void {
    this.#withdrawals.settle(txHash, outcome, this.#clock(nowMs));
  }

  /** Repeats the layer-1 phase of a withdrawal whose execution failed (§4.1). */
  retryWithdrawal(txHash: OrderId, nowMs: UnixMs): RetryResult {
    return this.#withdrawals.retry(txHash, this.#clock(nowMs));
  }

  /** Stop orders or legs of an earlier block wait for `fireDue`. `save` needs to be called when none does. */
  get hasDue(): boolean {
    return this.#contingencies.isBehind;
  }

  /** Makes one block of the stop orders and legs that wait since an earlier one (`consequencesPerBlock`). */
  fireDue(nowMs: UnixMs): void {
    if (this.hasDue) this.#contingencies.makeNextBlock(this.#clock(nowMs));
  }

  /** Deposits money in one block, with a DEPOSIT event per token. */
  deposit(account: Address, amounts: ReadonlyMap<TokenId, Fixed>, nowMs: UnixMs): void {
    this.#faucet.deposit(this.ledger.account(account), amounts, this.#clock(nowMs));
  }

  /** Marks this address as seen; the faucet funds it the first time (D33). */
  see(address: Address, nowMs: UnixMs): void {
    this.#faucet.see(address, this.#clock(nowMs));
  }

  /** The recorded liquidity of this market (D35). The first use creates it, and chooses its queue. */
  recordedLiquidity(marketId: MarketId, queue: QueueModel = riskAverseQueue): RecordedLiquidity {
    return this.#recorded.get(marketId) ?? this.#addRecorded(marketId, queue);
  }

  #addRecorded(
    marketId: MarketId,
    queue: QueueModel,
    saved?: RecordedLiquidityRow,
  ): RecordedLiquidity {
    const parts = {
      state: this.#state(marketId),
      ledger: this.ledger,
      blocks: this.#blocks,
      matching: this.#matching,
      recordIds: this.#recordIds,
      clock: (nowMs: UnixMs) => this.#clock(nowMs),
    };
    const recorded = new RecordedLiquidity(parts, queue, saved);
    this.#recorded.set(marketId, recorded);
    return recorded;
  }

  /** Changes the fees of a market for later trades; its record keeps the first ones. */
  setFees(marketId: MarketId, { makerFee, takerFee }: Pick<Market, "makerFee" | "takerFee">): void {
    const state = this.#state(marketId);
    [state.makerFee, state.takerFee] = [new FeeRate(makerFee), new FeeRate(takerFee)];
    this.ledger.fundRebates(state.market, makerFee, takerFee);
  }

  /** Applies a depth event of the venue's recording: absolute quantities, 0 removes a level. */
  flowDepth(marketId: MarketId, bids: FlatLevels, asks: FlatLevels, nowMs: UnixMs): void {
    this.#flow(marketId, nowMs).depth(bids, asks, nowMs);
  }

  /** Applies a trade of the venue's recording. */
  flowTrade(marketId: MarketId, trade: FlowTrade, nowMs: UnixMs): void {
    this.#flow(marketId, nowMs).trade(trade, nowMs);
  }

  /** Removes all recorded liquidity from the books, with one block per market that ever had any. */
  clearFlows(nowMs: UnixMs): void {
    for (const recorded of this.#recorded.values()) recorded.clear(nowMs);
  }

  /** A venue's recording is its whole market. */
  #flow(marketId: MarketId, nowMs: UnixMs): RecordedLiquidity {
    const known = this.#recorded.get(marketId);
    if (known !== undefined) return known;
    const recorded = this.recordedLiquidity(marketId);
    recorded.clear(nowMs);
    return recorded;
  }

  /** The complete state. An exchange restored from it behaves exactly as this one would. */
  save(): SnapshotPart[] {
    assert(!this.hasDue, "nothing waits for a block of its own");
    const head: HeadRow = [
      this.#nowMs,
      this.#blocks.blockNumber,
      this.#blocks.timeMs,
      this.#recordIds.count,
      this.#matching.counts,
    ];
    const recorded = [...this.#recorded].map(([marketId, one]) => [marketId, one.save()]);
    return [
      partNow("head", [head]),
      ...this.ledger.save(),
      ...this.#faucet.save(),
      ...this.#commands.save(),
      ...this.#transfers.save(),
      ...this.#withdrawals.save(),
      ...this.#sessions.save(),
      ...this.#index.save(),
      partNow("recorded", recorded),
      ...[...this.#markets.values()].flatMap((state) => state.save()),
    ];
  }

  /**
   * Loads a saved state into a new exchange that was created without `accounts`. Fees and limits may differ from the saved
   * exchange, and markets may be added, but every saved market has to exist.
   */
  restore(saved: SavedRows): void {
    assert(this.#blocks.blockNumber === 0, "only a new exchange can be restored");
    for (const [nowMs, number, timeMs, recordCount, counts] of saved<HeadRow>("head")) {
      this.#nowMs = nowMs;
      this.#blocks.restore(number, unixMs(timeMs));
      this.#recordIds.count = recordCount;
      this.#matching.restoreCounts(counts);
    }
    this.ledger.restore(saved);
    this.#faucet.restore(saved);
    this.#commands.restore(saved);
    this.#transfers.restore(saved);
    this.#withdrawals.restore(saved);
    this.#sessions.restore(saved);
    const orders = new SavedOrders(this.ledger, (marketId) => this.#state(marketId));
    this.#index.restore(saved, orders.read, (address) => this.ledger.account(address));
    for (const [marketId, row] of saved<[MarketId, RecordedLiquidityRow]>("recorded")) {
      this.#addRecorded(marketId, riskAverseQueue, row);
    }
    for (const state of this.#markets.values()) state.restore(saved, orders.find);
    orders.armStops();
  }

  // Queries. Lists are newest first (§1.8).

  /** Number of the newest block (D30). */
  get blockNumber(): number {
    return this.#blocks.blockNumber;
  }

  get markets(): readonly Market[] {
    return [...this.#markets.values()].map((state) => state.market);
  }

  hasMarket(marketId: MarketId): boolean {
    return this.#markets.has(marketId);
  }

  /** A balance for every token that the account ever held. */
  balances(address: Address): Balance[] {
    const lines = this.ledger.find(address)?.balances ?? [];
    return Array.from(lines, ([tokenId, { locked, unlocked }]) => ({ tokenId, locked, unlocked }));
  }

  /** Transfers from and to an address. */
  transfers(address: Address, filter: TransferFilter): TransferRecord[] {
    const account = this.ledger.find(address);
    return account === undefined ? [] : listTransfers(this.#transfers.transfers(account), filter);
  }

  hasToken(tokenId: TokenId): boolean {
    return this.#transfers.hasToken(tokenId);
  }

  /** The oldest withdrawal that still waits for layer 1. */
  get nextWithdrawal(): WithdrawalRecord | undefined {
    return this.#withdrawals.next;
  }

  /** Session wallets of an owner, newest first, including ended ones. */
  sessions(owner: Address, nowMs: UnixMs): SessionRecord[] {
    return this.#sessions.list(owner, nowMs);
  }

  /** Undefined when the order never existed, or ended so long ago that it is forgotten. */
  order(orderId: OrderId): OrderRecord | undefined {
    return this.#index.find(orderId)?.record();
  }

  /** The status in `order`, without the rest of its record. */
  orderStatus(orderId: OrderId): OrderStatus | undefined {
    return this.statusOf(orderId)?.status;
  }

  /** Its `status` stays the present one, also when the order is forgotten. */
  statusOf(orderId: OrderId): { readonly status: OrderStatus } | undefined {
    return this.#index.find(orderId);
  }

  openOrders(address: Address, filter: ListFilter): OrderRecord[] {
    const account = this.ledger.find(address);
    return account === undefined ? [] : listOrders(this.#index.open(account), filter);
  }

  endedOrders(address: Address, filter: ListFilter): OrderRecord[] {
    const account = this.ledger.find(address);
    return account === undefined ? [] : listOrders(this.#index.ended(account), filter);
  }

  userTrades(address: Address, filter: ListFilter): UserTrade[] {
    const account = this.ledger.find(address);
    return account === undefined ? [] : listTrades(this.#index.trades(account), filter);
  }

  /** At most `limit` levels a side. */
  book(marketId: MarketId, limit: number): BookRecord {
    const state = this.#state(marketId);
    return {
      marketId,
      lastId: state.depthId,
      updatedAtMs: state.updatedAtMs,
      bids: state.top("BUY", limit),
      asks: state.top("SELL", limit),
    };
  }

  publicTrades(marketId: MarketId, limit: number): TradeRecord[] {
    return this.#state(marketId).trades.newestFirst().take(limit).toArray();
  }

  ticker(marketId: MarketId, nowMs: UnixMs): TickerRecord {
    return tickerOf(marketId, this.#state(marketId).candles, nowMs);
  }

  /** Candles that start in [`fromSec`, `toSec`], oldest first; intervals without a trade are left out (D32). */
  candles(
    marketId: MarketId,
    resolution: Resolution,
    fromSec: number,
    toSec: number,
  ): CandleRecord[] {
    return this.#state(marketId).candles.between(resolution, fromSec, toSec);
  }

  #state(marketId: MarketId): ExchangeMarket {
    const state = this.#markets.get(marketId);
    assert(state !== undefined, "the market exists; check hasMarket first");
    return state;
  }

  #clock(nowMs: UnixMs): UnixMs {
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    return unixMs(this.#nowMs);
  }
}
