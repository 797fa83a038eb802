import type { Exchange } from "../exchange/exchange.ts";
import { createMemoryDatabase } from "../platform/memory-database.ts";
import type { DatabaseOpener } from "../ports/database.ts";
import type { Crypto } from "../ports/crypto.ts";
import type { RunningServer, ServerFactory, ServerResponse } from "../ports/server.ts";
import type { VenueConfig } from "../venue/config.ts";
import { startVenue } from "../venue/start-venue.ts";
import { silentLog } from "./timed-log.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { VirtualNetwork } from "./virtual-network.ts";
import { VirtualProcess } from "./virtual-process.ts";

export interface VenueProcessOptions {
  readonly config: VenueConfig;
  readonly time: VirtualClock;
  readonly network: VirtualNetwork;
  readonly crypto: Crypto;
  /** After each request that was served. */
  served(): void;
}

/** The paper venue as a process that may be killed at any moment, with what a `dataDir` keeps of it where it has one. */
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

  /** Resolves with its exchange, once it listens. */
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

  /** kill -9. What it had acknowledged is there at the next start where it has a `dataDir`. */
  kill(): void {
    this.#process?.kill();
    this.#process = undefined;
    void this.#server?.close();
    this.#server = undefined;
  }

  /** Its disk is a new one. */
  forget(): void {
    this.#database = createMemoryDatabase();
  }

  #serversOf(process: VirtualProcess): ServerFactory {
    const { network, served } = this.#options;
    return {
      listen: async (options) => {
        const server = await network.servers.listen({
          ...options,
          respond: async (request) => {
            const response = await options.respond(request);
            // Who died meanwhile answers nothing.
            if (this.#process !== process) return new Promise<ServerResponse>(() => undefined);
            served();
            return response;
          },
        });
        this.#server = server;
        return server;
      },
    };
  }
}
