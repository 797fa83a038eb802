import { Backoff } from "../gateway/backoff.ts";
import type { Input } from "../kernel/input.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Http } from "../ports/http.ts";
import type { Log } from "../ports/log.ts";
import type { SocketConnector } from "../ports/socket.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";

/*
 * Prices from elsewhere: a feed for each source of the YAML whose values come from outside. It reads or is sent values and passes them on as
 * inputs of the kernel, which judges their age. Whatever goes wrong is reported once an episode, and tried again later; the
 * age of the last value says the rest. Feeds use connections of their own and nothing of the venue's rate budget. This room knows the
 * kernel's input and the gateway's connection; runtime and the recorder start feeds.
 */

export type SourceInput = Extract<Input, { readonly type: "source" }>;

export interface PriceFeed {
  start(): void;
  /** Pushes nothing afterwards. */
  stop(): void;
}

export interface FeedPorts {
  readonly http: Pick<Http, "request">;
  readonly connector: SocketConnector;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** A source gives no price; called once an episode. */
  failed(source: string, reason: string): void;
  /** Where recordings are read; left out where no source is one. */
  readonly recordings?: RecordingIo | undefined;
}

export type PushSource = (input: SourceInput, receivedUs: number) => void;

type TroublePorts = Pick<FeedPorts, "log" | "failed">;

/** Failures of a source as a warning of the bot. */
export function warnOfSources(
  push: (input: Extract<Input, { readonly type: "warning" }>) => void,
): FeedPorts["failed"] {
  return (source, reason) => {
    const message = `the price source ${source} gives no price: ${reason}`;
    push({ type: "warning", code: "SOURCE_FAILED", message });
  };
}

/** Waits after failures. */
const timing = { backoffMs: 500, backoffMaxMs: 10_000 };

/** A feed's failures: a report at the begin and a line in the log at the end of an episode, and the wait before the next attempt. */
export class FeedTrouble {
  readonly #source: string;
  readonly #ports: TroublePorts;
  readonly #backoff: Backoff;
  #isFailing = false;

  constructor(source: string, ports: TroublePorts) {
    this.#source = source;
    this.#ports = ports;
    this.#backoff = new Backoff(timing);
  }

  /** Returns how long to wait, milliseconds. */
  failed(reason: string): number {
    if (!this.#isFailing) this.#ports.failed(this.#source, reason);
    this.#isFailing = true;
    return this.#backoff.failed();
  }

  /** `isSteady`: a next failure is tried again at once. */
  worked(isSteady: boolean): void {
    if (this.#isFailing) this.#ports.log.info({ source: this.#source }, "the price source is back");
    this.#isFailing = false;
    if (isSteady) this.#backoff.succeeded();
  }
}
