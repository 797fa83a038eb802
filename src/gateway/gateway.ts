import PQueue from "p-queue";
import { TransportError } from "../base/error.ts";
import type { Command } from "../domain/command.ts";
import type { Address } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import { readRank } from "../domain/read-order.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import { endpoints } from "../spec/endpoints.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import {
  fetchFills,
  fetchOpenOrders,
  fetchOrder,
  fetchTransfers,
  type ListOptions,
} from "./account-lists.ts";
import { readFailed } from "./read-failed.ts";
import { balanceFrom, bookFrom, marketFrom } from "./from-wire.ts";
import { fetchHistory } from "./history.ts";
import type { VenueClient } from "./venue-client.ts";
import type { VenueClock } from "./venue-clock.ts";

/** Levels a side of a book snapshot. */
const BOOK_LEVELS = 1_000;

export interface GatewayOptions {
  readonly client: VenueClient;
  readonly venueClock: VenueClock;
  readonly owner: Address;
  /** Maximum number of concurrent reads. */
  readonly concurrency: number;
  /** Receives the outcomes: one call for each command and each read. */
  push(input: Input): void;
}

/**
 * Carries out the kernel's commands and reads; each results in one input, and a list of fills in one for each page. Commands go out at once and in order.
 * Reads share a queue of bounded concurrency, sorted by `readRank`.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #reads: PQueue;
  readonly #abort = new AbortController();
  /** Requests that wait for a rate token, oldest first. */
  readonly #waiting: { resolve(): void; reject(): void }[] = [];

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#reads = new PQueue({ concurrency: options.concurrency });
  }

  /** Sends a signed command now; its outcome becomes the input `response`. */
  send(command: Command, signed: SignedCommand, handedOver?: () => void): void {
    const { client, push } = this.#options;
    const { intent } = command;
    void client
      .submit(command.type, signed, handedOver)
      .then((outcome) => push({ type: "response", intent, outcome }));
  }

  /** Queues a read; its result becomes the input of the same name, or `readFailed`. */
  read(read: Read): void {
    void this.#reads
      .add(() => this.#respond(read), { priority: -readRank(read.type) })
      .then((input) => this.#options.push(input));
  }

  /**
   * Resolves when the rate budget has a token for one request that the kernel did not issue as an effect: a further page of
   * a list, or a request of the session keeper. Rejects with TransportError `not-sent` when the gateway is closed.
   */
  readonly waitForToken = (): Promise<void> => {
    if (this.#abort.signal.aborted) return Promise.reject(gatewayClosed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject: () => reject(gatewayClosed()) });
      this.#options.push({ type: "tokenWanted" });
    });
  };

  /** Gives a token to each of the oldest `count` waiting requests. */
  grant(count: number): void {
    for (const { resolve } of this.#waiting.splice(0, count)) resolve();
  }

  /** Aborts all open reads; each becomes `readFailed`. */
  close(): void {
    this.#abort.abort();
    for (const { reject } of this.#waiting.splice(0)) reject();
  }

  async #respond(read: Read): Promise<Input> {
    try {
      return await this.#fetch(read);
    } catch (thrown) {
      return readFailed(read, thrown);
    }
  }

  #list({ sinceMs }: { readonly sinceMs?: number }): ListOptions {
    const { owner, venueClock } = this.#options;
    const { signal } = this.#abort;
    const venueNowMs = venueClock.estimateMs();
    return { owner, venueNowMs, sinceMs, signal, waitForToken: this.waitForToken };
  }

  async #fetch(read: Read): Promise<Input> {
    const { client, venueClock, owner, push } = this.#options;
    const { signal } = this.#abort;
    const { waitForToken } = this;
    switch (read.type) {
      case "book": {
        const { marketId } = read;
        const query = { marketId, limit: BOOK_LEVELS };
        const book = await client.call(endpoints.depth, query, { signal });
        return { type: "book", snapshot: bookFrom(marketId, book) };
      }
      case "order": {
        const { orderId } = read;
        const report = await fetchOrder(client, orderId, { signal });
        return { type: "order", orderId, report };
      }
      case "openOrders":
        return { type: "openOrders", orders: await fetchOpenOrders(client, this.#list(read)) };
      case "fills": {
        const onPage = (fills: readonly Fill[]): void =>
          push({ type: "fills", fills, isPart: true });
        const fills = await fetchFills(client, { ...this.#list(read), onPage });
        return { type: "fills", fills };
      }
      case "balances": {
        const query = { address: owner };
        const { balances, blockNumber } = await client.call(endpoints.balance, query, { signal });
        return { type: "balances", balances: balances.map(balanceFrom), blockNumber };
      }
      case "transfers":
        return { type: "transfers", transfers: await fetchTransfers(client, this.#list(read)) };
      case "markets": {
        const markets = await client.call(endpoints.market, {}, { signal });
        return { type: "markets", markets: markets.map(marketFrom) };
      }
      case "candles":
      case "trades":
        return fetchHistory(client, read, {
          venueNowMs: venueClock.estimateMs(),
          signal,
          waitForToken,
        });
      case "venueTime": {
        const { offsetMs, roundTripMs, doubt } = await venueClock.read({ signal, waitForToken });
        if (doubt !== undefined) {
          push({ type: "warning", code: "VENUE_TIME_IN_DOUBT", message: doubt });
        }
        return { type: "venueTime", offsetMs, roundTripMs: Math.round(roundTripMs) };
      }
    }
  }
}

function gatewayClosed(): TransportError {
  return new TransportError(
    "not-sent",
    "CLOSED",
    "The bot is stopping and sends no more requests.",
  );
}
