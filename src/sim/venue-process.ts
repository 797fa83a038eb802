import type { Clock } from "../ports/clock.ts";
import { type UnixMs, unixMs } from "../domain/time.ts";
import { isTerminal } from "../domain/order.ts";
import type { OrderId } from "../domain/ids.ts";
import type { ExchangeCommand } from "../exchange/command.ts";
import type { ExchangeLimits } from "../exchange/config.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { accepted } from "../exchange/records.ts";
import { createMemoryDatabase } from "../platform/memory-database.ts";
import type { DatabaseOpener } from "../ports/database.ts";
import type { Crypto } from "../ports/crypto.ts";
import type {
  RunningServer,
  ServerFactory,
  ServerRequest,
  ServerResponse,
} from "../ports/server.ts";
import type { VenueConfig } from "../venue/config.ts";
import { startVenue } from "../venue/start-venue.ts";
import type { VenueDelays } from "./fault-target.ts";
import { type SeenTransaction, transactionOf } from "./seen-transaction.ts";
import { silentLog } from "../ports/log.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { VirtualNetwork } from "./virtual-network.ts";
import { VirtualProcess } from "./virtual-process.ts";

export interface VenueProcessOptions {
  readonly config: VenueConfig;
  readonly time: VirtualClock;
  readonly network: VirtualNetwork;
  readonly crypto: Crypto;
  readonly delays: Readonly<VenueDelays>;
  /** What its exchange remembers, where that differs from a real one's. */
  readonly exchangeLimits?: Partial<ExchangeLimits>;
  /** Called after each request that was served; `transaction` is undefined unless it was a command. */
  served(transaction: SeenTransaction | undefined): void;
  /** Called when the venue was killed before it had carried out a command that it had accepted. */
  dropped(transaction: SeenTransaction): void;
  /** Called when an order is rejected that was accepted and carried out later. */
  rejectedLate?(): void;
}

const decoder = new TextDecoder();
/** Only commands whose nonce stays valid for long enough are delayed. */
const NONCE_MS = 50_000;

function delayOf(type: ExchangeCommand["type"], { cancelMs, orderMs }: VenueDelays): number {
  if (type === "cancel") return cancelMs;
  return type === "place" || type === "stop" || type === "modify" ? orderMs : 0;
}

function transactionIn(
  { method, body }: ServerRequest,
  venue: { readonly chainId: number; readonly crypto: Crypto },
): SeenTransaction | undefined {
  return transactionOf({ method, body: body && decoder.decode(body) }, venue);
}

/** The paper venue as a process that may be killed at any time. Its data survives if it has a `dataDir`. */
export class VenueProcess {
  readonly #options: VenueProcessOptions;
  readonly #database: DatabaseOpener;
  #process: VirtualProcess | undefined;
  #server: RunningServer | undefined;
  /** The venue's clock minus the time of the simulation, in ms. */
  skewMs = 0;
  readonly #clock: Clock = {
    nowMs: () => this.nowMs,
    monotonicUs: () => this.#options.time.monotonicUs(),
  };
  /** Commands that were accepted and carried out later, or are to be. */
  readonly #delayed = new Set<OrderId>();
  /** Those that are to be carried out. */
  readonly #pending = new Map<OrderId, SeenTransaction | undefined>();

  constructor(options: VenueProcessOptions) {
    this.#options = options;
    this.#database = createMemoryDatabase();
  }

  /** By the venue's clock. */
  get nowMs(): UnixMs {
    return unixMs(this.#options.time.nowMs() + this.skewMs);
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  /** Starts the venue; resolves with its exchange once it listens. */
  async start(): Promise<Exchange> {
    const { config, time, network, crypto, exchangeLimits = {} } = this.#options;
    const process = new VirtualProcess({
      timer: time,
      http: network.http,
      connector: network.connector,
    });
    this.#process = process;
    const venue = await startVenue({
      config,
      ports: {
        server: this.#serversOf(process),
        clock: this.#clock,
        timer: process.timer,
        crypto,
        log: silentLog,
        database: this.#database,
      },
      listen: { host: "127.0.0.1", port: 8717 },
      exchangeLimits,
    });
    this.#actLater(venue.exchange, process);
    return venue.exchange;
  }

  /** Lets the exchange accept commands about orders that it carries out later, as long as there are delays. */
  #actLater(exchange: Exchange, process: VirtualProcess): void {
    const { delays } = this.#options;
    const submit = exchange.submit.bind(exchange);
    exchange.submit = (transaction, nowMs) => {
      const { command, nonce, txHash } = transaction;
      // Another copy of what it is to carry out: a refusal of it would contradict the first response.
      if (this.#pending.has(txHash)) return accepted(txHash);
      const delayMs = delayOf(command.type, delays);
      // What names no open order is refused at once.
      const names = command.type === "cancel" || command.type === "modify";
      const status = names ? exchange.order(command.orderId)?.status : "NEW";
      const hasTime =
        status !== undefined && !isTerminal(status) && Math.abs(nowMs - nonce) < NONCE_MS;
      if (delayMs === 0 || !hasTime || this.#delayed.has(txHash)) return submit(transaction, nowMs);
      this.#delayed.add(txHash);
      this.#pending.set(txHash, undefined);
      process.timer.after(delayMs, () => {
        submit(transaction, this.#clock.nowMs());
        if (exchange.order(txHash)?.status === "REJECTED") this.#options.rejectedLate?.();
        const seen = this.#pending.get(txHash);
        this.#pending.delete(txHash);
        this.#options.served(seen);
      });
      return accepted(txHash);
    };
  }

  /** Kills it as kill -9 does. With a `dataDir`, everything it acknowledged is there after a restart. */
  kill(): void {
    this.#process?.kill();
    this.#process = undefined;
    for (const seen of this.#pending.values()) {
      if (seen !== undefined) this.#options.dropped(seen);
    }
    this.#pending.clear();
    void this.#server?.close();
    this.#server = undefined;
  }

  #serversOf(process: VirtualProcess): ServerFactory {
    const { network, served, config, crypto } = this.#options;
    return {
      listen: async (options) => {
        const server = await network.servers.listen({
          ...options,
          respond: async (request) => {
            const response = await options.respond(request);
            // A process killed meanwhile sends no response.
            if (this.#process !== process) return new Promise<ServerResponse>(() => undefined);
            const seen = transactionIn(request, { chainId: config.chainId, crypto });
            const isPending = seen !== undefined && this.#pending.has(seen.hash);
            if (isPending) this.#pending.set(seen.hash, seen);
            served(isPending ? undefined : seen);
            return response;
          },
        });
        this.#server = server;
        return server;
      },
    };
  }
}
