import type { Address, MarketId, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { CallEndpoint } from "../gateway/account-lists.ts";
import { fetchVenueTime, type Gateway } from "../gateway/gateway.ts";
import type { Streams } from "../gateway/streams.ts";
import type { VenueClient } from "../gateway/venue-client.ts";
import type { Journal } from "../journal/journal.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Summary, SummaryFold } from "../metrics/summary.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { Log } from "../ports/log.ts";
import type { CommandSigner } from "../spec/sign-command.ts";
import type { Driver, DriverEnd } from "./driver.ts";
import { fetchAllOpenOrders } from "./final-list.ts";
import { sendLastCancels } from "./last-cancels.ts";
import type { Observers } from "./observers.ts";
import type { OwnOrders } from "./own-orders.ts";

/** The parts of a bot, wired together by `startLive`. */
export interface LiveParts {
  readonly owner: Address;
  readonly markets: readonly Market[];
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly client: VenueClient;
  readonly gateway: Gateway;
  readonly streams: Streams;
  readonly driver: Driver;
  readonly kernel: Kernel;
  readonly journal: Journal;
  readonly observers: Observers;
  readonly summary: SummaryFold;
  readonly own: OwnOrders;
  readonly commandSigner: CommandSigner;
  readonly signerName: Crypto["name"];
  readonly strategies: readonly { readonly name: string; readonly marketId: MarketId }[];
  /** Start of the process, our clock. */
  readonly startMs: number;
}

/** How a bot's run ended. */
export interface LiveEnd {
  /** True for exit code 0: stopped as asked, nothing of ours left open, and the venue said so. */
  readonly ok: boolean;
  readonly reason: string;
  readonly summary: Summary;
  /** Own orders that are open, or whose fate nobody knows. */
  readonly inQuestion: readonly OrderId[];
}

/** Canceling and asking may take so long after the signal to stop. */
const STOP_MS = 10_000;
/** The last question, what is still open, gets at least so long, and each of its requests at most. */
const LAST_MS = 2_000;
const LAST_RETRY_MS = 250;
/** Half of what D6 allows. */
const NONCE_AHEAD_MS = 30_000;

/** A bot at work. */
export class LiveBot {
  readonly #parts: LiveParts;
  #stopTimer: TimerHandle | undefined;
  /** Monotonic time at which that fires. */
  #stopByUs = Number.POSITIVE_INFINITY;
  /** Why it stops although nobody asked it to. */
  #failure: string | undefined;
  /** Monotonic time of the signal to stop. */
  #stoppedUs: number | undefined;
  /** Resolves when the run is over and everything is closed; never rejects. */
  readonly done: Promise<LiveEnd>;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.done = parts.driver.done.then((end) => this.#close(end));
  }

  get markets(): readonly Market[] {
    return this.#parts.markets;
  }

  get owner(): Address {
    return this.#parts.owner;
  }

  /** What happens, step by step: for pages, metrics, recorders. */
  get observers(): Observers {
    return this.#parts.observers;
  }

  get summary(): SummaryFold {
    return this.#parts.summary;
  }

  /** The normal end: no more quotes, own orders canceled one by one, each asked about. */
  stop(): void {
    this.#parts.driver.push({ type: "operator", command: "stop" });
    this.#stopWithin(STOP_MS);
  }

  /**
   * As `stop`, but not as asked: the run ends badly, for this reason, even when everything was canceled. Where there is more time
   * than usual for that, `limitMs` says so.
   */
  stopBecause(reason: string, limitMs: number = STOP_MS): void {
    this.#failure ??= reason;
    this.#parts.driver.push({ type: "mustStop", reason, limitMs });
    this.#stopWithin(limitMs);
  }

  /** Should the kernel itself not end the run by then. A later call may shorten the time, never lengthen it. */
  #stopWithin(limitMs: number): void {
    const { clock, timer, driver, summary } = this.#parts;
    const nowUs = clock.monotonicUs();
    this.#stoppedUs ??= nowUs;
    const byUs = nowUs + limitMs * 1000;
    if (byUs >= this.#stopByUs) return;
    this.#stopByUs = byUs;
    summary.stopSignal(clock.nowMs());
    this.#stopTimer?.cancel();
    this.#stopTimer = timer.after(limitMs, () => {
      driver.end(`own orders could not be settled within ${Math.round(limitMs / 1000)} s`);
    });
  }

  /** Something that people have to know: it goes where the kernel's own warnings go, the journal too. */
  warn(code: string, message: string): void {
    this.#parts.driver.push({ type: "warning", code, message });
  }

  /** Takes all quotes down until `resume`. */
  pause(): void {
    this.#parts.driver.push({ type: "operator", command: "pause" });
  }

  resume(): void {
    this.#parts.driver.push({ type: "operator", command: "resume" });
  }

  async #close(end: DriverEnd): Promise<LiveEnd> {
    const { clock, streams, gateway, journal, observers, summary, kernel, log } = this.#parts;
    this.#stopTimer?.cancel();
    summary.stopSignal(clock.nowMs());
    streams.stop();
    gateway.close();
    let inQuestion: readonly OrderId[] = journal.ledger.openIds();
    if (end.crash !== undefined) inQuestion = await this.#cancelAfterCrash(end.crash);
    observers.flush();
    for (const { marketId } of this.#parts.strategies) {
      summary.mid(marketId, end.crash === undefined ? kernel.mid(marketId) : undefined);
    }
    const open = await this.#openOrders();
    const own = open?.filter((id) => this.#parts.own.strategyOf(id) !== undefined);
    // The venue's word: what it lists is open; what it does not list may still be on its way only while its fate is unknown.
    const left = own ?? null;
    const named = [...new Set([...inQuestion, ...(left ?? [])])];
    if (observers.dropped > 0) {
      log.warn({ dropped: observers.dropped }, "observers missed entries: the summary is too low");
    }
    const result = summary.result({
      durationMs: Math.round(clock.nowMs() - this.#parts.startMs),
      ordersLeft: left?.map((id) => this.#parts.own.strategyOf(id) ?? "") ?? null,
      foreignOrders: open === undefined ? null : open.length - (left?.length ?? 0),
      signer: this.#parts.signerName,
    });
    try {
      journal.close();
    } catch (thrown) {
      log.error({ err: thrown }, "the journal could not be closed");
    }
    return {
      ok: end.ok && this.#failure === undefined && left !== null && named.length === 0,
      reason: this.#failure ?? end.reason,
      summary: result,
      inQuestion: named,
    };
  }

  /** Ids of all open orders of the account; undefined when the venue does not answer. */
  async #openOrders(): Promise<readonly OrderId[] | undefined> {
    const { client, clock, owner, timer, log } = this.#parts;
    const nowMs = (): number => clock.monotonicUs() / 1000;
    const stoppedMs = this.#stoppedUs === undefined ? nowMs() : this.#stoppedUs / 1000;
    const deadlineMs = Math.max(stoppedMs + STOP_MS, nowMs() + LAST_MS);
    const timeout = (): { readonly timeoutMs: number } => ({
      timeoutMs: Math.max(1, Math.min(LAST_MS, deadlineMs - nowMs())),
    });
    const retryWhileUnreachable = async <Value>(call: () => Promise<Value>): Promise<Value> => {
      for (;;) {
        try {
          return await call();
        } catch (thrown) {
          const reason = thrown instanceof Error ? thrown.message : String(thrown);
          log.warn({ reason }, "the venue does not say which orders are open");
          if (nowMs() + LAST_RETRY_MS >= deadlineMs) throw thrown;
        }
        await new Promise<void>((resolve) => {
          timer.after(LAST_RETRY_MS, resolve);
        });
      }
    };
    const call: CallEndpoint = (endpoint, query) =>
      retryWhileUnreachable(() => client.call(endpoint, query, timeout()));
    try {
      const { offsetMs } = await retryWhileUnreachable(() =>
        fetchVenueTime(client, clock, timeout()),
      );
      const orders = await fetchAllOpenOrders({
        call,
        owner,
        venueNowMs: clock.nowMs() + offsetMs,
        oldestOwnMs: this.#parts.own.oldestMs + offsetMs,
        log,
      });
      return orders.map(({ orderId }) => orderId);
    } catch {
      // Said already, each time.
      return undefined;
    }
  }

  async #cancelAfterCrash(crash: Error): Promise<readonly OrderId[]> {
    const { journal, clock, timer, log, client, commandSigner } = this.#parts;
    const orderIds = journal.ledger.openIds();
    if (orderIds.length === 0) return [];
    log.error({ orders: orderIds.length }, "canceling own orders after the bug");
    const offsetMs = await fetchVenueTime(client, clock).then(
      (time) => time.offsetMs,
      () => 0,
    );
    const venueNowMs = (): number => clock.nowMs() + offsetMs;
    // The venue's clock was set back: a nonce near it may be used already, which the venue says, and the next round takes another.
    const { nonceHighWater } = journal.ledger;
    let nonce = nonceHighWater > venueNowMs() + NONCE_AHEAD_MS ? 0 : nonceHighWater;
    return sendLastCancels({
      orderIds,
      timer,
      nextNonce: () => {
        nonce = Math.max(nonce + 1, venueNowMs());
        return nonce;
      },
      sign: (command) => commandSigner.sign(command),
      submit: (signed) => client.submit("cancel", signed),
      record(signed) {
        try {
          journal.crash({
            message: crash.message,
            nowMs: clock.nowMs(),
            nonceHighWater: Math.max(nonce, nonceHighWater),
            signed,
          });
        } catch (thrown) {
          // Cancels go out with or without a journal.
          log.error({ err: thrown }, "the journal could not take the last cancels");
        }
      },
    });
  }
}
