import { setTimeout as pause } from "node:timers/promises";
import { QUOTES_PER_SIDE, type Stage } from "./stage.ts";

/** How long one order more than wanted may stand on a side: a quote is placed before the one that it replaces ends. */
const SURPLUS_MS = 2_500;

/**
 * Looks at the venue ten times a second for more open quotes on a side than the strategy wants, for longer than may be; those left out that
 * were asked to end. While no bot runs, nobody is there to end what a killed one left.
 */
export class SurplusWatch {
  /** Whether a bot runs; its start ends when it begins to run. */
  isRunning = false;
  readonly #stage: Stage;
  readonly #problems: string[] = [];
  readonly #asked = new Set<string>();
  readonly #since = new Map<string, number>();
  #read = 0;
  #isClosed = false;
  readonly #done: Promise<void>;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#done = this.#run();
  }

  /** Resolves with what was seen. */
  async close(): Promise<readonly string[]> {
    this.#isClosed = true;
    await this.#done;
    return this.#problems;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const open = await this.#stage.observer.openOrders();
      const { commands } = this.#stage.tap;
      for (; this.#read < commands.length; this.#read += 1) {
        const ended = commands[this.#read]?.endsOrder;
        if (ended !== undefined) this.#asked.add(ended);
      }
      for (const side of ["BUY", "SELL"] as const) {
        const resting = open.filter(
          (order) => order.side === side && !this.#asked.has(order.orderId),
        );
        const nowMs = Date.now();
        if (resting.length <= QUOTES_PER_SIDE || !this.isRunning) this.#since.delete(side);
        else if (!this.#since.has(side)) this.#since.set(side, nowMs);
        const lastsMs = nowMs - (this.#since.get(side) ?? nowMs);
        const isSurplus = resting.length > QUOTES_PER_SIDE + 1 && this.isRunning;
        if (!isSurplus && lastsMs <= SURPLUS_MS) continue;
        this.#problems.push(`${resting.length} quotes on the side ${side} for ${lastsMs} ms`);
      }
      await pause(100);
    }
  }
}
