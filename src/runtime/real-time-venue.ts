import {
  type Request,
  SimulatedVenue,
  type SimulatedVenueOptions,
} from "../simulated/simulated-venue.ts";
import type { Command } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import type { Outlet } from "./driver.ts";

export interface RealTimeVenueOptions extends SimulatedVenueOptions {
  /** Never goes back. */
  readonly clock: Clock;
  readonly timer: Timer;
  push(input: Input, receivedUs?: number): void;
}

/** The simulated venue in real time: one timer for what arrives next. */
export class RealTimeVenue implements Outlet {
  readonly simulated: SimulatedVenue;
  readonly #options: RealTimeVenueOptions;
  #timer: TimerHandle | undefined;
  #isStopped = false;

  constructor(options: RealTimeVenueOptions) {
    this.#options = options;
    this.simulated = new SimulatedVenue(options);
  }

  send(command: Command, { txHash }: SignedCommand): void {
    this.#request({ type: "command", command, txHash });
  }

  read(read: Read): void {
    this.#request({ type: "read", read });
  }

  /** Something happens in the market. */
  play(marketId: MarketId, event: MarketEvent, receivedUs: number): void {
    this.simulated.play(marketId, event, event.atMs);
    this.#run(receivedUs);
  }

  /** The market's data is whole from here on. */
  open(): void {
    this.#request({ type: "subscribe" });
  }

  /** The market's data is not to be trusted: the bot hears what it would hear of a broken connection. */
  cut(reason: string): void {
    this.simulated.cutStreams();
    this.#options.push({ type: "stream", state: "closed", reason });
  }

  /** Ids of the bot's orders that rest. */
  openOrders(): readonly OrderId[] {
    return this.simulated.openOrders(this.#options.clock.nowMs()).map(({ orderId }) => orderId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #request(request: Request): void {
    this.simulated.send(request, this.#options.clock.nowMs());
    this.#run();
  }

  #run(receivedUs?: number): void {
    const { clock, timer, push } = this.#options;
    if (this.#isStopped) return;
    const nowMs = clock.nowMs();
    this.simulated.handle(nowMs);
    for (
      let news = this.simulated.receive(nowMs);
      news !== undefined;
      news = this.simulated.receive(nowMs)
    ) {
      push(news, receivedUs);
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    const nextMs = Math.min(this.simulated.nextRequestMs, this.simulated.nextInputMs);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = timer.after(Math.max(1, Math.ceil(nextMs - nowMs)), () => this.#run());
  }
}
