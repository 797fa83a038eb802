import { setTimeout as pause } from "node:timers/promises";
import { QUOTES_PER_SIDE, type Stage } from "./stage.ts";

/** Looks at the venue ten times a second for more open quotes on a side than the strategy wants, those left out that were asked to end. */
export class SurplusWatch {
  readonly #stage: Stage;
  readonly #problems: string[] = [];
  readonly #asked = new Set<string>();
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
        if (resting.length <= QUOTES_PER_SIDE) continue;
        this.#problems.push(`${resting.length} quotes on the side ${side} at ${Date.now()}`);
      }
      await pause(100);
    }
  }
}
