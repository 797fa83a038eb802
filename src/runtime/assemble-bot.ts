import { marketsOf } from "../domain/market-roles.ts";
import type { Command } from "../domain/command.ts";
import type { VenueFeed } from "../gateway/venue-adapter.ts";
import type { KernelConfig } from "../kernel/config.ts";
import type { Input } from "../kernel/input.ts";
import { Kernel } from "../kernel/kernel.ts";
import { marketOf } from "../kernel/market-state.ts";
import { SummaryFold } from "../metrics/summary-fold.ts";
import { dayOf } from "../orders/day-start.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import { CallTimes } from "./call-times.ts";
import type { Outlet } from "./carry-out.ts";
import { Driver, type DriverOptions } from "./driver.ts";
import { entryLog } from "./log-entries.ts";
import { Observers } from "./observers.ts";

export interface Assembly
  extends Pick<DriverOptions, "journal" | "durability" | "onSignerRefused" | "standby"> {
  readonly kernel: KernelConfig;
  /** Passes its inputs to the `push` of the driver. */
  readonly feed: VenueFeed;
  readonly outlet: Outlet;
  /** Never goes back. */
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Unix time at which the summary's run starts. */
  readonly startMs: number;
  /** Market data that nothing waits for goes to the kernel without a step; not with a journal, nor where observers need it. */
  readonly absorbs?: boolean;
  /** False where nobody reads what a step's notes say in the log. Default true. */
  readonly logsSteps?: boolean;
  /** By default observers are called on later turns of `timer`. */
  readonly observers?: Observers;
  /** Measures the calls of strategies; left out where time is virtual, so that results stay the same. */
  readonly calls?: {
    readonly clock: Pick<Clock, "monotonicUs">;
    /** A call that takes longer is warned about (`STRATEGY_SLOW`). */
    readonly slowMs: number;
  };
  sign(command: Command): SignedCommand;
}

export const SLOW_CALL_MS = 50;

/** Queues an input for the kernel. `receivedUs` is the monotonic time at which its frame arrived. */
export type Push = (input: Input, receivedUs?: number) => void;

/** A `push` for parts that are made before the driver. It drops inputs until `connect` is called. */
export function deferredPush(): {
  readonly push: Push;
  readonly connect: (driver: Driver) => void;
} {
  let connected: Driver | undefined;
  return {
    push: (input, receivedUs) => connected?.push(input, receivedUs),
    connect: (driver) => {
      connected = driver;
    },
  };
}

/** A bot's parts, wired together but not started. */
export interface BotParts {
  readonly config: KernelConfig;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly startMs: number;
  readonly kernel: Kernel;
  readonly driver: Driver;
  readonly feed: VenueFeed;
  readonly observers: Observers;
  readonly summary: SummaryFold;
  readonly callTimes: CallTimes | undefined;
  /** Gives the summary the mids of the kernel. */
  readMids(): void;
}

/** How often the journal gets what the summary measures. */
const MEASURED_MS = 1_000;

/** Wires a bot together. Every mode uses it: live, paper, replay and simulation. */
export function assembleBot(assembly: Assembly): BotParts {
  const { feed, outlet, clock, timer, log, startMs } = assembly;
  const warn = deferredPush();
  const callTimes = callTimesOf(assembly, warn.push);
  const config = measuredConfig(assembly.kernel, callTimes);
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
    reconnect: (reason) => feed.restart(reason),
    resubscribe: (channel) => feed.resubscribe(channel),
    onSignerRefused: assembly.onSignerRefused,
    standby: assembly.standby,
    absorber: assembly.absorbs === true ? kernel : undefined,
  });
  warn.connect(driver);
  const summary = new SummaryFold({
    strategies: config.strategies.flatMap((binding) =>
      marketsOf(binding).map(({ role, marketId }) => ({
        name: binding.name,
        role,
        market: marketOf(config, marketId),
        obligation: binding.obligation,
      })),
    ),
    startMs,
    reportingCurrency: config.reportingCurrency,
  });
  const readMids = (): void => {
    for (const { marketId } of config.markets) summary.mid(marketId, kernel.mid(marketId));
  };
  if (assembly.journal !== undefined) {
    let measuredMs = startMs;
    // Before the summary takes the first step of a day, so that a record is of one day.
    observers.on(({ batch: { nowMs } }) => {
      if (nowMs < measuredMs + MEASURED_MS && dayOf(nowMs) === dayOf(measuredMs)) return;
      measuredMs = nowMs;
      readMids();
      driver.measured(summary.take());
    });
  }
  const logEntry = entryLog(log, config.markets);
  observers.on((entry) => {
    summary.observe(entry);
    for (const { us, ...of } of entry.tickToOrder) summary.tickToOrder(us, of);
    if (assembly.logsSteps !== false) logEntry(entry);
  });
  return {
    config,
    clock,
    timer,
    log,
    startMs,
    kernel,
    driver,
    feed,
    observers,
    summary,
    callTimes,
    readMids,
  };
}

function callTimesOf({ calls, timer }: Assembly, push: Push): CallTimes | undefined {
  if (calls === undefined) return undefined;
  const { clock, slowMs } = calls;
  return new CallTimes({
    monotonicUs: () => clock.monotonicUs(),
    slowMs,
    // The kernel is in a step while a strategy is called.
    onSlow: (message) =>
      timer.soon(() => push({ type: "warning", code: "STRATEGY_SLOW", message })),
  });
}

function measuredConfig(config: KernelConfig, callTimes: CallTimes | undefined): KernelConfig {
  if (callTimes === undefined) return config;
  const strategies = config.strategies.map((binding) => ({
    ...binding,
    definition: callTimes.measured(binding.definition, binding.name),
  }));
  return { ...config, strategies };
}
