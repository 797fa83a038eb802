import type { Exchange } from "../exchange/exchange.ts";
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
import { type SeenTransaction, transactionOf } from "./oracle.ts";
import { silentLog } from "./timed-log.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { VirtualNetwork } from "./virtual-network.ts";
import { VirtualProcess } from "./virtual-process.ts";

export interface VenueProcessOptions {
  readonly config: VenueConfig;
  readonly time: VirtualClock;
  readonly network: VirtualNetwork;
  readonly crypto: Crypto;
  /** Called after each request that was served; `transaction` is undefined unless it was a command. */
  served(transaction: SeenTransaction | undefined): void;
}

const decoder = new TextDecoder();

function transactionIn(
  { method, body }: ServerRequest,
  venue: { readonly chainId: number; readonly crypto: Crypto },
): SeenTransaction | undefined {
  return transactionOf({ method, body: body && decoder.decode(body) }, venue);
}

/** The paper venue as a process that may be killed at any time. Its data survives if it has a `dataDir`. */
export class VenueProcess {
  readonly #options: VenueProcessOptions;
  #database: DatabaseOpener;
  #process: VirtualProcess | undefined;
  #server: RunningServer | undefined;

  constructor(options: VenueProcessOptions) {
    this.#options = options;
    this.#database = createMemoryDatabase();
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  /** Starts the venue; resolves with its exchange once it listens. */
  async start(): Promise<Exchange> {
    const { config, time, network, crypto } = this.#options;
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
        clock: time,
        timer: process.timer,
        crypto,
        log: silentLog,
        database: this.#database,
      },
      listen: { host: "127.0.0.1", port: 8717 },
    });
    return venue.exchange;
  }

  /** Kills it as kill -9 does. With a `dataDir`, everything it acknowledged is there after a restart. */
  kill(): void {
    this.#process?.kill();
    this.#process = undefined;
    void this.#server?.close();
    this.#server = undefined;
  }

  /** Replaces its disk by an empty one. */
  eraseData(): void {
    this.#database = createMemoryDatabase();
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
            served(transactionIn(request, { chainId: config.chainId, crypto }));
            return response;
          },
        });
        this.#server = server;
        return server;
      },
    };
  }
}
