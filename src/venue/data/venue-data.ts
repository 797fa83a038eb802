import { TouchlineError } from "../../base/error.ts";
import type { Address } from "../../domain/ids.ts";
import { unixMs, type UnixMs } from "../../domain/time.ts";
import type { ExchangeConfig } from "../../exchange/config.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { SnapshotPart } from "../../exchange/snapshot.ts";
import type { Block } from "../../exchange/records.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { Database } from "../../ports/database.ts";
import type { Log } from "../../ports/log.ts";
import { perform, type Action } from "./action.ts";
import { exactJson, parseExactJson } from "./exact-json.ts";
import { GroupCommit } from "./group-commit.ts";
import { SnapshotWriter } from "./snapshot-writer.ts";
import { LoggedExchange } from "./logged-exchange.ts";
import { VenueStore } from "./venue-store.ts";

/**
 * A snapshot is written after this many actions, or after half the row count of the last snapshot if that is more. So a snapshot costs
 * at most two rows per action, however large it is, and a start repeats at most about twice this many actions.
 */
const ACTIONS_PER_SNAPSHOT = 100_000;

export interface VenueDataOptions {
  readonly database: Database;
  readonly config: ExchangeConfig;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Publishes a block to clients. */
  readonly publish: (block: Block) => void;
  /** Called when the data can no longer be written. */
  readonly failed: () => void;
  /** For tests. */
  readonly actionsPerSnapshot?: number;
}

/**
 * An exchange kept in a database. Every action is on disk before clients learn of its effects. A start reads the newest snapshot and
 * repeats the later actions, which gives the same exchange, since exchanges are deterministic.
 */
export class VenueData {
  readonly exchange: Exchange;
  readonly commits: GroupCommit;
  /** When this venue first started. */
  readonly createdAtMs: UnixMs;
  readonly #clock: Clock;
  readonly #store: VenueStore;
  readonly #snapshots: SnapshotWriter;
  readonly #actionsPerSnapshot: number;
  /** Actions since the last snapshot. */
  #actions = 0;
  /** Rows of the last snapshot; unknown after a start. */
  #rows = 0;

  /** Throws TouchlineError `DATA_DIR_VERSION`, `DATA_DIR_MARKET`, `DATA_DIR_DIVERGED`. */
  static open(options: VenueDataOptions): VenueData {
    return new VenueData(options);
  }

  private constructor(options: VenueDataOptions) {
    const { database, clock, timer, log } = options;
    this.#clock = clock;
    this.#store = new VenueStore(database);
    this.#actionsPerSnapshot = options.actionsPerSnapshot ?? ACTIONS_PER_SNAPSHOT;
    const failed = (error: unknown): void => {
      log.error({ error }, "the venue cannot write its data");
      this.#snapshots.stop();
      options.failed();
    };
    this.#snapshots = new SnapshotWriter(this.#store, timer, failed);
    this.commits = new GroupCommit(this.#store, timer, {
      block: () => this.exchange.blockNumber,
      publish: options.publish,
      committed: (actions) => this.#count(actions),
      failed,
    });
    this.createdAtMs = this.#createdAt(clock.nowMs());
    this.exchange = this.#recover(options.config);
    this.#clearFlows(clock.nowMs());
    this.#fundNewAccounts(options.config, clock.nowMs());
    this.commits.settle();
  }

  /** Remembers the accounts of a flow that is about to start, so that the next start cancels their orders. */
  noteFlowAccounts(accounts: readonly Address[]): void {
    const known = new Set([...this.#flowAccounts(), ...accounts]);
    this.#store.setFact("flow-accounts", JSON.stringify([...known]));
  }

  /** Writes a snapshot, so that the next start has no actions to repeat, and closes the database. */
  close(): void {
    this.commits.settle();
    if (!this.commits.hasFailed && this.#actions > 0) {
      fireAllDue(this.exchange, this.#clock.nowMs());
      this.commits.settle();
      this.#writeSnapshot();
    }
    this.#snapshots.stop();
    this.#store.close();
  }

  #count(actions: number): void {
    this.#actions += actions;
    if (
      this.#actions < Math.max(this.#actionsPerSnapshot, this.#rows / 2) ||
      this.#snapshots.isBusy ||
      this.exchange.hasDue
    )
      return;
    this.#snapshots.begin(this.#store.newest, this.#snapshot());
  }

  #writeSnapshot(): void {
    this.#snapshots.writeNow(this.#store.newest, this.#snapshot());
  }

  #snapshot(): SnapshotPart[] {
    const parts = this.exchange.save();
    this.#actions = 0;
    this.#rows = parts.reduce((rows, { size }) => rows + size, 0);
    return parts;
  }

  #createdAt(nowMs: UnixMs): UnixMs {
    const known = this.#store.fact("created-at-ms");
    if (known !== undefined) return unixMs(Number(known));
    this.#store.setFact("created-at-ms", String(nowMs));
    return nowMs;
  }

  /** Repeats actions under the settings they were made under, then continues under the current ones. */
  #recover(config: ExchangeConfig): Exchange {
    const text = exactJson(config);
    const before = this.#store.fact("config");
    if (before === undefined) this.#store.setFact("config", text);
    const isSame = before === undefined || before === text;
    const old = isSame ? config : (parseExactJson(before) as ExchangeConfig);
    assertMarkets(old, config);
    const exchange = this.#read(old);
    if (isSame) return exchange;
    // After an orderly end the newest snapshot is complete.
    if (this.#store.newest > this.#store.snapshot) {
      fireAllDue(exchange, this.#clock.nowMs());
      this.#snapshots.writeNow(this.#store.newest, exchange.save());
    }
    this.#store.setFact("config", text);
    return this.#read(config);
  }

  #read(config: ExchangeConfig): Exchange {
    const { snapshot } = this.#store;
    const hold = (block: Block): void => {
      if (isLive) this.commits.hold(block);
    };
    const add = (action: Action): void => {
      if (isLive) this.commits.add(action);
    };
    let isLive = false;
    const { accounts = new Map(), ...rest } = config;
    const restored = { ...rest, exemptAccounts: [...accounts.keys()] };
    const exchange = new LoggedExchange(snapshot === 0 ? config : restored, hold, add);
    if (snapshot !== 0) {
      exchange.restore(<Row>(part: string) => this.#store.rows(snapshot, part) as Iterable<Row>);
    }
    this.#actions = 0;
    for (const { block, lines } of this.#store.groupsAfter(snapshot)) {
      for (const line of lines) perform(exchange, parseExactJson(line) as Action);
      if (exchange.blockNumber !== block) throw divergedError(block, exchange.blockNumber);
      this.#actions += lines.length;
    }
    isLive = true;
    return exchange;
  }

  /** Removes what the previous flow left in the books: each start begins a new flow. */
  #clearFlows(nowMs: UnixMs): void {
    this.exchange.clearFlows(nowMs);
    for (const account of this.#flowAccounts())
      this.exchange.execute(account, { type: "cancel-all" }, nowMs);
  }

  #flowAccounts(): readonly Address[] {
    return JSON.parse(this.#store.fact("flow-accounts") ?? "[]") as Address[];
  }

  /** Funds accounts that were added to the settings since the last start. */
  #fundNewAccounts({ accounts }: ExchangeConfig, nowMs: UnixMs): void {
    for (const [address, amounts] of accounts ?? []) {
      if (this.exchange.balances(address).length === 0) {
        this.exchange.deposit(address, amounts, nowMs);
      }
    }
  }
}

/** Makes the state one that can be saved. */
function fireAllDue(exchange: Exchange, nowMs: UnixMs): void {
  while (exchange.hasDue) exchange.fireDue(nowMs);
}

function assertMarkets(before: ExchangeConfig, now: ExchangeConfig): void {
  const known = new Set(now.markets.map(({ marketId }) => marketId));
  const gone = before.markets.find(({ marketId }) => !known.has(marketId));
  if (gone === undefined) return;
  throw new TouchlineError(
    "DATA_DIR_MARKET",
    `The dataDir has market ${gone.marketId}, which the configuration no longer has.`,
    {
      context: { marketId: gone.marketId },
      hint: "Keep the market with listed: false, or use another folder.",
    },
  );
}

function divergedError(expected: number, found: number): TouchlineError {
  return new TouchlineError(
    "DATA_DIR_DIVERGED",
    `Repeating the actions in the dataDir leads to block ${found}, but they were acknowledged at block ${expected}.`,
    {
      context: { expected, found },
      hint: "Another version of Touchline wrote it: stop that version normally before switching to this one, or use another folder.",
    },
  );
}
