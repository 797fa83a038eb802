import type { Command } from "../domain/command.ts";
import type { KernelConfig } from "../kernel/config.ts";
import type { Input } from "../kernel/input.ts";
import { Kernel } from "../kernel/kernel.ts";
import { marketOf } from "../kernel/state.ts";
import { SummaryFold } from "../metrics/summary.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import { Driver, type DriverOptions, type Outlet } from "./driver.ts";
import { logEntries } from "./log-entries.ts";
import { Observers } from "./observers.ts";

/** Where what happens comes from: market data, own orders, the account. */
export interface Feed {
  start(): void;
  /** The end; a feed is not started again. */
  stop(): void;
  /** Cuts the connection, so that data which cannot be taken in is replaced by a new snapshot. */
  restart(reason: string): void;
}

export interface Assembly
  extends Pick<DriverOptions, "journal" | "durability" | "onSignerRefused"> {
  readonly kernel: KernelConfig;
  /** Brings inputs: to the `push` of the driver, which the parts have. */
  readonly feed: Feed;
  /** Takes commands and reads. */
  readonly outlet: Outlet;
  /** Never goes back. */
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Start of the run that the summary counts from. */
  readonly startMs: number;
  /** Default: told on later turns of `timer`. */
  readonly observers?: Observers;
  sign(command: Command): SignedCommand;
}

/** Takes in an input; `receivedUs`: monotonic time at which its frame arrived. */
export type Push = (input: Input, receivedUs?: number) => void;

/** For what tells the driver and is made before it: `push` does nothing until `is` has named the driver. */
export function lateDriver(): { readonly push: Push; is(driver: Driver): void } {
  let known: Driver | undefined;
  return {
    push: (input, receivedUs) => known?.push(input, receivedUs),
    is(driver) {
      known = driver;
    },
  };
}

/** A bot's parts, wired together; nothing runs yet. */
export interface BotParts {
  readonly config: KernelConfig;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly startMs: number;
  readonly kernel: Kernel;
  readonly driver: Driver;
  readonly feed: Feed;
  readonly observers: Observers;
  readonly summary: SummaryFold;
}

/** The one place where a bot is put together, whatever its venue and its time are. */
export function assembleBot(assembly: Assembly): BotParts {
  const { kernel: config, feed, outlet, clock, timer, log, startMs } = assembly;
  const kernel = new Kernel(config);
  const observers = assembly.observers ?? new Observers({ timer, log });
  const driver = new Driver({
    kernel,
    clock,
    timer,
    log,
    journal: assembly.journal,
    durability: assembly.durability,
    observers,
    outlet,
    sign: assembly.sign,
    shed: (reason) => feed.restart(reason),
    onSignerRefused: assembly.onSignerRefused,
  });
  const summary = new SummaryFold({
    strategies: config.strategies.map(({ name, marketId }) => ({
      name,
      market: marketOf(config, marketId),
    })),
    startMs,
  });
  observers.on((entry) => {
    summary.observe(entry);
    for (const { us, strategy } of entry.tickToOrder) summary.tickToOrder(us, strategy);
    logEntries(log, entry);
  });
  return { config, clock, timer, log, startMs, kernel, driver, feed, observers, summary };
}
