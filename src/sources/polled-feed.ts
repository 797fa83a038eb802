import { errorText } from "../base/error-text.ts";
import type { TimerHandle } from "../ports/clock.ts";
import {
  type FeedPorts,
  FeedTrouble,
  type PriceFeed,
  type PushSource,
  type SourceInput,
} from "./price-feed.ts";

/** Reads one price again and again. `read` gives it, or says why there is none; it may reject. */
export class PolledFeed implements PriceFeed {
  readonly #ports: Pick<FeedPorts, "clock" | "timer">;
  readonly #everyMs: number;
  readonly #read: (signal: AbortSignal) => Promise<SourceInput | string>;
  readonly #push: PushSource;
  readonly #trouble: FeedTrouble;
  readonly #end = new AbortController();
  #next: TimerHandle | undefined;

  constructor(
    name: string,
    everyMs: number,
    read: (signal: AbortSignal) => Promise<SourceInput | string>,
    ports: FeedPorts,
    push: PushSource,
  ) {
    this.#ports = ports;
    this.#everyMs = everyMs;
    this.#read = read;
    this.#push = push;
    this.#trouble = new FeedTrouble(name, ports);
  }

  start(): void {
    void this.#poll();
  }

  stop(): void {
    this.#end.abort();
    this.#next?.cancel();
  }

  async #poll(): Promise<void> {
    const { clock, timer } = this.#ports;
    const startedUs = clock.monotonicUs();
    let result: SourceInput | string;
    try {
      result = await this.#read(this.#end.signal);
    } catch (thrown) {
      result = errorText(thrown);
    }
    if (this.#end.signal.aborted) return;
    let waitMs = this.#everyMs;
    if (typeof result === "string") waitMs = Math.max(waitMs, this.#trouble.failed(result));
    else {
      this.#trouble.worked(true);
      this.#push(result, clock.monotonicUs());
    }
    const tookMs = (clock.monotonicUs() - startedUs) / 1000;
    this.#next = timer.after(Math.max(0, waitMs - tookMs), () => void this.#poll());
  }
}
