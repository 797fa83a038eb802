import { StreamConnection } from "../gateway/stream-connection.ts";
import { defaultStreamTiming } from "../gateway/stream-timing.ts";
import type { TimerHandle } from "../ports/clock.ts";
import type { JsonFeedSettings } from "./feed-settings.ts";
import { priceIn } from "./json-price.ts";
import {
  type FeedPorts,
  FeedTrouble,
  type PriceFeed,
  type PushSource,
  type SourceInput,
} from "./price-feed.ts";

/** A connection that lived this long is tried again at once when it ends. */
const GOOD_LIFE_US = 30_000_000;

/** Prices in JSON messages of a WebSocket; those without a price are passed over. */
export class JsonStream implements PriceFeed {
  readonly #name: string;
  readonly #settings: JsonFeedSettings;
  readonly #ports: FeedPorts;
  readonly #push: PushSource;
  readonly #trouble: FeedTrouble;
  #connection: StreamConnection<SourceInput> | undefined;
  #retry: TimerHandle | undefined;
  #isStopped = false;

  constructor(name: string, settings: JsonFeedSettings, ports: FeedPorts, push: PushSource) {
    this.#name = name;
    this.#settings = settings;
    this.#ports = ports;
    this.#push = push;
    this.#trouble = new FeedTrouble(name, ports);
  }

  start(): void {
    const { connector, clock, timer } = this.#ports;
    const { url, send, paths } = this.#settings;
    const sinceUs = clock.monotonicUs();
    this.#connection = new StreamConnection<SourceInput>(
      {
        connector,
        url,
        clock,
        timer,
        timing: defaultStreamTiming,
        subscriptions: () => [],
        decoder: {
          decode: (data) => {
            const price = priceIn(this.#name, data, paths);
            return typeof price === "string"
              ? { type: "ignored" }
              : { type: "input", input: price };
          },
        },
      },
      (connection) => ({
        opened: () => {
          if (send !== undefined) connection.send(send);
          connection.watch();
        },
        data: (input, receivedUs) => {
          this.#trouble.worked(receivedUs - sinceUs >= GOOD_LIFE_US);
          this.#push(input, receivedUs);
        },
        confirmed: () => undefined,
        refused: () => undefined,
        unreadable: () => undefined,
        over: (reason) => {
          if (this.#isStopped) return;
          const waitMs = this.#trouble.failed(reason);
          this.#retry = timer.after(waitMs, () => this.start());
        },
      }),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    this.#connection?.close();
  }
}
