/**
 * The guard is a process without a key that cancels a bot's orders when the bot falls silent.
 *
 * `OrderGuard` follows the bot over its local socket (`GuardLine`s of `control/guard-protocol.ts`) and keeps the newest signed cancel of each
 * order in `HeldCancels`, in memory only. When the bot's process is gone or shows no sign of life, `cancelHeld` sends them until each
 * order's end is proven, and names what is left.
 *
 * Imports `gateway`, `control` and `runtime` (`sendLastCancels`); connections come as ports.
 */

import { z } from "zod";
import { assert } from "../base/assert.ts";
import { TouchlineError } from "../base/error.ts";
import { GUARD_BEAT, GUARD_BEAT_MS, type GuardLine, guardLine } from "../control/guard-protocol.ts";
import { jsonOf } from "../base/json-of.ts";
import { controlResponse } from "../control/protocol.ts";
import { addressOf, type Address } from "../domain/ids.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { LineConnection } from "../ports/line-connection.ts";
import type { CanceledOrders, CancelHeldOptions } from "./cancel-held.ts";
import { HeldCancels } from "./held-cancels.ts";

/** What the guard does now, for people and programs. */
export type GuardState =
  | { readonly state: "waiting" }
  | { readonly state: "guarding"; readonly owner: string }
  | { readonly state: "goodbye" }
  | { readonly state: "canceling"; readonly reason: string; readonly orders: number };

export type GuardEnd =
  /** It was asked to stop. `orders`: how many it was guarding. */
  | { readonly type: "stopped"; readonly orders: number }
  /** The bot stopped with no order left. */
  | { readonly type: "goodbye" }
  | { readonly type: "canceled"; readonly result: CanceledOrders };

export interface GuardOptions {
  /** Folder of the bot's journal, as the bot names it. */
  readonly journal: string;
  /** The account in the guard's configuration; undefined when it is the signer's own, which the guard does not know. */
  readonly owner: Address | undefined;
  readonly rest: string;
  readonly silentAfterMs: number;
  /** How long the venue may accept a time nonce. */
  readonly windowMs: number;
  /** End when the bot has stopped with no order left, instead of waiting for its next start. */
  readonly isOnce: boolean;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Connects to the bot's local socket. Rejects when no bot listens. */
  connect(): Promise<LineConnection>;
  /** Sends the cancels and verifies. */
  cancel(
    held: Pick<
      CancelHeldOptions,
      "held" | "owner" | "marketIds" | "venueOffsetMs" | "lastMessageMs"
    >,
  ): Promise<CanceledOrders>;
  report(state: GuardState): void;
}

/**
 * Why a connection is over. `silent`: the bot does not work, although its process may exist. `replaced`: something else listens where the
 * bot did.
 */
type Ending = "goodbye" | "lost" | "silent" | "replaced" | "stopped";

const RETRY_MS = 500;
const LOST_MS = 50;
const LOOK_MS = 250;
/** After a gap of this process itself, the bot's signs of life may still be unread. */
const OWN_GAP_US = 1_000_000;
/** A bot that answers within this time is back at work. */
const BACK_MS = 2_000;
/** What a bot that has started says of itself. One that is starting has no strategies yet, and has placed no order. */
const startedStatus = z.object({
  ok: z.literal(true),
  status: z.object({ strategies: z.array(z.unknown()).min(1) }),
});

/** A bot that has introduced itself. */
interface GuardedBot {
  readonly owner: Address;
  readonly run: string;
  readonly marketIds: readonly string[];
}

/**
 * Holds signed cancels of a bot's orders, in memory and without a key, and sends them when the bot falls silent. Nothing is written to
 * disk, and nothing is sent to the venue before that.
 */
export class OrderGuard {
  readonly #options: GuardOptions;
  readonly #held = new HeldCancels();
  #bot: GuardedBot | undefined;
  #lastMessageUs = 0;
  #lastMessageMs = 0;
  #venueOffsetMs: number | undefined;
  #isWaiting = false;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Rejects with TouchlineError `GUARD_REFUSED` or `GUARD_OTHER_ACCOUNT`. */
  async run(stop: AbortSignal): Promise<GuardEnd> {
    const { isOnce, report } = this.#options;
    for (;;) {
      const connection = await this.#options.connect().catch((thrown: unknown) => {
        // A socket of another user: to wait for the bot there would look as if it were guarded.
        if (thrown instanceof TouchlineError && this.#bot === undefined) throw thrown;
        return undefined;
      });
      // Also when it is asked to stop: a service manager that ends both processes leaves no order behind.
      if (connection === undefined && this.#bot !== undefined) {
        return this.#cancel("the bot's process is gone");
      }
      if (stop.aborted) {
        connection?.end();
        return { type: "stopped", orders: this.#held.size };
      }
      if (connection === undefined) {
        this.#wait();
        await this.#pause(RETRY_MS);
        continue;
      }
      const ending = await this.#follow(connection, stop);
      connection.end();
      if (ending === "stopped") return { type: "stopped", orders: this.#held.size };
      if (ending === "silent" && this.#bot !== undefined) {
        const seconds = this.#options.silentAfterMs / 1000;
        return this.#cancel(`the bot has shown no sign of life for ${seconds} s`);
      }
      if (ending === "replaced") {
        return this.#cancel("another program listens at the bot's socket", { mayBeBack: false });
      }
      // A process that was killed closes its sockets one after the other.
      if (ending === "lost") await this.#pause(LOST_MS);
      if (ending === "goodbye") {
        report({ state: "goodbye" });
        if (isOnce) return { type: "goodbye" };
        this.#bot = undefined;
        this.#held.clear();
        this.#isWaiting = false;
        await this.#pause(RETRY_MS);
      }
    }
  }

  #wait(): void {
    if (!this.#isWaiting) this.#options.report({ state: "waiting" });
    this.#isWaiting = true;
  }

  /** Takes what the bot sends until the connection is over, or the bot is silent for too long. */
  async #follow(connection: LineConnection, stop: AbortSignal): Promise<Ending> {
    const { clock, journal } = this.#options;
    let ending: Ending | undefined;
    let refusal: TouchlineError | undefined;
    if (this.#bot === undefined) this.#received();
    connection.onLine((text) => {
      try {
        if (this.#take(text)) ending = "goodbye";
      } catch (thrown) {
        if (!(thrown instanceof TouchlineError)) throw thrown;
        refusal = thrown;
      }
    });
    void connection.closed.then(() => (ending ??= "lost"));
    connection.send(JSON.stringify({ command: "guard", journal }));
    let lookedUs = clock.monotonicUs();
    let beatUs = lookedUs;
    for (;;) {
      await Promise.race([this.#pause(LOOK_MS), connection.closed]);
      const nowUs = clock.monotonicUs();
      if (refusal !== undefined) {
        if (this.#bot === undefined) throw refusal;
        return "replaced";
      }
      if (ending !== undefined) return ending;
      if (stop.aborted) return "stopped";
      if (nowUs - lookedUs > OWN_GAP_US) this.#forgive(nowUs - lookedUs);
      lookedUs = nowUs;
      if (nowUs - this.#lastMessageUs > this.#options.silentAfterMs * 1000) return "silent";
      if (nowUs - beatUs < GUARD_BEAT_MS * 1000) continue;
      beatUs = nowUs;
      connection.send(GUARD_BEAT);
    }
  }

  #received(): void {
    const { clock } = this.#options;
    this.#lastMessageUs = clock.monotonicUs();
    this.#lastMessageMs = clock.nowMs();
  }

  /** The time in which this process itself did not work does not count as silence of the bot. */
  #forgive(gapUs: number): void {
    const { clock } = this.#options;
    const lateUs = gapUs - LOOK_MS * 1000;
    this.#lastMessageUs = Math.min(clock.monotonicUs(), this.#lastMessageUs + lateUs);
    this.#lastMessageMs = Math.min(clock.nowMs(), this.#lastMessageMs + lateUs / 1000);
  }

  /** Takes one line of the bot; true for its goodbye. Throws when it guards another account or refuses guards. */
  #take(text: string): boolean {
    const line = parseLine(text);
    this.#received();
    switch (line.event) {
      case "hello":
        this.#greet(line);
        return false;
      case "standby":
        this.#held.add(line.cancels);
        return false;
      case "uncovered":
        this.#held.addUncovered(line.orderIds);
        return false;
      case "ended":
        this.#held.remove(line.orderIds);
        return false;
      case "beat":
        this.#venueOffsetMs =
          line.venueMs === null ? undefined : line.venueMs - this.#options.clock.nowMs();
        // A working bot renews the cancels of its orders several times within the window.
        this.#held.beat(Math.ceil(this.#options.windowMs / GUARD_BEAT_MS));
        return false;
      case "goodbye":
        return true;
    }
  }

  #greet({ owner: text, rest, run, marketIds }: Extract<GuardLine, { event: "hello" }>): void {
    const owner = addressOf(text);
    const { owner: wanted, rest: wantedRest, report } = this.#options;
    const isOther =
      owner === undefined ||
      (wanted !== undefined && wanted.toLowerCase() !== owner.toLowerCase()) ||
      rest !== wantedRest;
    if (isOther) {
      throw new TouchlineError(
        "GUARD_OTHER_ACCOUNT",
        `The running bot trades for ${text} at ${rest}, and this configuration names ${wanted ?? "its signer"} at ${wantedRest}.`,
        { hint: "Start the guard with the configuration that the bot was started with." },
      );
    }
    // A bot that was started again takes over the orders of its earlier run; until then their cancels may still be wanted.
    if (this.#bot?.run !== run) report({ state: "guarding", owner });
    this.#bot = { owner, run, marketIds };
  }

  /** `mayBeBack`: what answers at the socket by then is the bot. */
  async #cancel(reason: string, { mayBeBack } = { mayBeBack: true }): Promise<GuardEnd> {
    const { cancel, report } = this.#options;
    const bot = this.#bot;
    assert(bot !== undefined, "there is a bot whose orders are canceled");
    report({ state: "canceling", reason, orders: this.#held.size });
    const result = await cancel({
      held: this.#held,
      owner: bot.owner,
      marketIds: bot.marketIds,
      venueOffsetMs: this.#venueOffsetMs,
      lastMessageMs: this.#lastMessageMs,
    });
    if (result.unheld.length === 0 || !mayBeBack) return { type: "canceled", result };
    // A bot that works again has placed new orders of its own.
    const isBack = await this.#isBack();
    return { type: "canceled", result: isBack ? { ...result, unheld: [] } : result };
  }

  async #isBack(): Promise<boolean> {
    const connection = await this.#options.connect().catch(() => undefined);
    if (connection === undefined) return false;
    const answered = new Promise<boolean>((resolve) => {
      connection.onLine((text) => resolve(startedStatus.safeParse(jsonOf(text)).success));
    });
    connection.send(JSON.stringify({ command: "status", journal: this.#options.journal }));
    const isBack = await Promise.race([answered, this.#pause(BACK_MS).then(() => false)]);
    connection.end();
    return isBack;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.timer.after(ms, resolve);
    });
  }
}

function parseLine(text: string): GuardLine {
  const data = jsonOf(text);
  const line = guardLine.safeParse(data);
  if (line.success) return line.data;
  const response = controlResponse.safeParse(data);
  const reason =
    response.success && !response.data.ok ? response.data.message : "its answer cannot be read";
  throw new TouchlineError("GUARD_REFUSED", `The bot accepts no guard: ${reason}.`, {
    hint: "The bot and the guard have to be of the same version and use the same configuration.",
  });
}
