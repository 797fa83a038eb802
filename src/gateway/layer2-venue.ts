import { Prng } from "../base/prng.ts";
import type { Command, CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import { transactionLimits } from "../spec/limits.ts";
import { CommandSigner, type SignedCommand } from "../spec/sign-command.ts";
import type { Keccak256 } from "../spec/transaction.ts";
import { fetchOrder } from "./account-lists.ts";
import { fetchAllOpenOrders, type OpenOrdersOptions } from "./final-list.ts";
import { Gateway } from "./gateway.ts";
import type { StreamTiming } from "./stream-timing.ts";
import { Streams } from "./streams.ts";
import type {
  AccountKey,
  ConnectedBot,
  NonceRules,
  VenueAdapter,
  VenueCapabilities,
  VenueCommandSigner,
  VenueConnections,
} from "./venue-adapter.ts";
import { ReadTimeout } from "./read-timeout.ts";
import { VenueClient } from "./venue-client.ts";
import { clientClock, type VenueClock } from "./venue-clock.ts";
import { fetchVenueMarkets, type VenueMarkets } from "./venue-markets.ts";

export interface Layer2VenueOptions {
  readonly http: Http;
  readonly connector: SocketConnector;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Returns the seed of the streams' reconnect jitter. Called once for each bot. */
  randomSeed(): number;
  readonly keccak256: Keccak256;
  readonly rest: string;
  readonly ws: string;
  /** Chain id of layer 2. */
  readonly chainId: number;
  /** Maximum number of concurrent reads. */
  readonly concurrency: number;
  readonly streamTiming?: StreamTiming | undefined;
}

/** The layer-2 spot venue of `spec/`, and the paper venue that speaks its interface. */
export class Layer2Venue implements VenueAdapter {
  readonly capabilities: VenueCapabilities = {
    commands: { place: true, modify: true, cancel: true, stop: true },
    tpsl: true,
    orderIds: "hash-of-signed-bytes",
  };
  readonly nonces: NonceRules = { kind: "time", windowMs: transactionLimits.timeNonceWindowMs };
  readonly clock: VenueClock;
  readonly #options: Layer2VenueOptions;
  readonly #client: VenueClient;

  constructor(options: Layer2VenueOptions) {
    this.#options = options;
    const { http, rest, clock } = options;
    this.#client = new VenueClient({ http, rest }, new ReadTimeout(clock));
    this.clock = clientClock(this.#client, clock);
  }

  fetchMarkets(waitForToken?: () => Promise<void>): Promise<VenueMarkets> {
    const { timer, log } = this.#options;
    return fetchVenueMarkets(this.#client, { timer, log, waitForToken });
  }

  commandSigner({ owner, signer }: AccountKey): VenueCommandSigner {
    const { chainId, keccak256 } = this.#options;
    return new CommandSigner({ owner, chainId, crypto: { keccak256 }, signer });
  }

  connect({ owner, markets, push }: ConnectedBot): VenueConnections {
    const { connector, ws, clock, timer, log, randomSeed, keccak256, concurrency, streamTiming } =
      this.#options;
    return {
      outlet: new Gateway({
        client: this.#client,
        venueClock: this.clock,
        owner,
        concurrency,
        push,
      }),
      feed: new Streams({
        connector,
        url: ws,
        clock,
        timer,
        log,
        prng: new Prng(randomSeed()),
        keccak256,
        markets,
        owner,
        ...(streamTiming === undefined ? {} : { timing: streamTiming }),
        push,
      }),
    };
  }

  submit(type: Command["type"], signed: SignedCommand): Promise<CommandOutcome> {
    return this.#client.submit(type, signed);
  }

  fetchOrder(orderId: OrderId): Promise<OrderReport | "absent"> {
    return fetchOrder(this.#client, orderId);
  }

  fetchOpenOrders(options: OpenOrdersOptions): Promise<readonly OrderReport[]> {
    const { clock, timer, log } = this.#options;
    return fetchAllOpenOrders({
      client: this.#client,
      venueClock: this.clock,
      clock,
      timer,
      log,
      ...options,
    });
  }
}
