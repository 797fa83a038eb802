import {
  type Request,
  SimulatedVenue,
  type SimulatedVenueOptions,
} from "../simulated/simulated-venue.ts";
import type { Command } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { MarketEvent } from "../recordings/market-event.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import type { Outlet } from "./carry-out.ts";

export interface RealTimeVenueOptions extends SimulatedVenueOptions {
  /** Never goes back. */
  readonly clock: Clock;
  readonly timer: Timer;
  push(input: Input, receivedUs?: number): void;
}

/** The simulated venue in real time, with one timer for the next request or input to arrive. */
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

  /** Plays a market event into the simulated exchange, after the requests that were due before it: timers fire late. */
  play(marketId: MarketId, event: MarketEvent, receivedUs: number): void {
    this.simulated.handle(unixMs(event.atMs - 1));
    this.simulated.play(marketId, event, event.atMs);
    this.#run(receivedUs);
  }

  /** Opens the bot's stream, once the market data is in sync. */
  open(): void {
    this.#request({ type: "subscribe" });
  }

  /** Closes the bot's stream, as a broken connection would, while the market data is out of sync. */
  cut(reason: string): void {
    this.simulated.cutStreams();
    this.#options.push({ type: "stream", state: "closed", reason });
  }

  /** Ids of the bot's resting orders. */
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
      let input = this.simulated.receive(nowMs);
      input !== undefined;
      input = this.simulated.receive(nowMs)
    ) {
      push(input, receivedUs);
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    const nextMs = Math.min(this.simulated.nextRequestMs, this.simulated.nextInputMs);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = timer.after(Math.max(1, Math.ceil(nextMs - nowMs)), () => this.#run());
  }
}
