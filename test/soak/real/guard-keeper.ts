import { setTimeout as pause } from "node:timers/promises";
import { Touchline } from "../../support/touchline-process.ts";

/** One guard process that ended by itself. */
export interface GuardEnd {
  readonly code: number | null;
  /** Orders whose cancels it held. */
  readonly orders: number;
  readonly ordersLeft: readonly string[];
}

/** `touchline guard` as a service manager keeps it: started again a second after it has ended. */
export class GuardKeeper {
  readonly ends: GuardEnd[] = [];
  readonly #config: string;
  #guard: Touchline;
  #isClosed = false;
  readonly #done: Promise<void>;

  constructor(config: string) {
    this.#config = config;
    this.#guard = this.#started();
    this.#done = this.#keep();
  }

  /** Whether the present guard holds cancels of a bot that runs. */
  get isGuarding(): boolean {
    return this.#guard.lines.findLast(({ event }) => event === "guard")?.["state"] === "guarding";
  }

  /** Whether a guard guards within two minutes: one that cancels waits for the nonce of an order that never arrived. */
  async untilGuarding(): Promise<boolean> {
    for (const endMs = Date.now() + 120_000; Date.now() < endMs; await pause(50)) {
      if (this.isGuarding) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#guard.kill("SIGKILL");
    await this.#done;
  }

  #started(): Touchline {
    return new Touchline(["guard", this.#config], { TOUCHLINE_KEY: "" });
  }

  async #keep(): Promise<void> {
    for (;;) {
      const code = await this.#guard.exit;
      if (this.#isClosed) return;
      const last = this.#guard.lines.findLast(({ event }) => event === "guard");
      const left = last?.["ordersLeft"];
      this.ends.push({
        code,
        orders: Number(last?.["orders"] ?? 0),
        ordersLeft: Array.isArray(left) ? left.map(String) : [],
      });
      await pause(1_000);
      if (this.#isClosed) return;
      this.#guard = this.#started();
    }
  }
}
