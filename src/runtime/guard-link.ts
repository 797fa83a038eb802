import { GUARD_BEAT_MS, type GuardLine, type HeldCancel } from "../control/guard-protocol.ts";
import type { CancelCommand } from "../domain/command.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { StandbyCancel } from "../kernel/effect.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { LineConnection } from "../ports/line-connection.ts";
import type { Log } from "../ports/log.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import type { Push } from "./assemble-bot.ts";
import type { StandbyOutlet } from "./carry-out.ts";

export interface GuardLinkOptions {
  /** Whose orders are guarded, and the venue's REST address. */
  readonly owner: Address;
  readonly rest: string;
  /** Unique among the runs of a bot. */
  readonly run: string;
  readonly marketIds: readonly string[];
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly push: Push;
  sign(command: CancelCommand): SignedCommand;
  /** Own orders that have not ended, as of the newest step. */
  liveOrders(): Iterable<{ readonly orderId: OrderId | undefined }>;
  /** False while the bot cannot make a step, so that its guards notice. */
  isWorking(): boolean;
  /** The venue's clock minus ours; undefined before the first reading. */
  venueOffsetMs(): number | undefined;
}

/** Cancels signed in one turn of the event loop, so that market data never waits long. */
const SLICE = 4;
/** Cancels in one line for a guard: a longer line than the socket takes would end the connection. */
const LINE_CANCELS = 100;
/** Ids of orders in one line. */
const LINE_IDS = 1_000;
/** A guard that has sent nothing for this long guards nothing. */
const SILENT_US = 5_000_000;
/** After such a gap of this process itself, the guards' signs of life may still be unread. */
const OWN_GAP_US = 2_000_000;

/**
 * A bot's side of its guards: signs the kernel's standby cancels on turns of their own, hands them over, and shows once a second that
 * the bot works. Tells the kernel whether a guard is connected.
 */
export class GuardLink implements StandbyOutlet {
  readonly #options: GuardLinkOptions;
  /** When the last message of each guard came, on the monotonic clock. */
  readonly #guards = new Map<LineConnection, number>();
  /** The newest signed cancel of each order, for guards that connect later. */
  readonly #held = new Map<OrderId, HeldCancel>();
  readonly #unsigned = new Map<OrderId, StandbyCancel>();
  #slice: TimerHandle | undefined;
  #beat: TimerHandle | undefined;
  #beatUs = 0;
  #isClosed = false;

  constructor(options: GuardLinkOptions) {
    this.#options = options;
  }

  /** Takes over the connection of a guard. */
  add(connection: LineConnection): void {
    if (this.#isClosed) return connection.end();
    const { owner, rest, run, marketIds, clock, timer, push } = this.#options;
    tell(connection, { event: "hello", owner, rest, run, marketIds: [...marketIds] });
    const held = [...this.#held.values()];
    for (let at = 0; at < held.length; at += LINE_CANCELS) {
      tell(connection, { event: "standby", cancels: held.slice(at, at + LINE_CANCELS) });
    }
    this.#guards.set(connection, clock.monotonicUs());
    connection.onLine(() => {
      if (this.#guards.has(connection)) this.#guards.set(connection, clock.monotonicUs());
    });
    void connection.closed.then(() => this.#remove(connection));
    // A bot that has just started knows the orders of the last run after its first step.
    timer.soon(() => this.#tellUncovered());
    if (this.#guards.size > 1) return;
    push({ type: "guard", isConnected: true });
    this.#beatUs = clock.monotonicUs();
    this.#sendBeat();
  }

  made(cancel: StandbyCancel, orderId: OrderId, isJustSent: boolean): void {
    if (this.#guards.size === 0) return;
    if (isJustSent) {
      const held = this.#signed(cancel, orderId);
      if (held !== undefined) this.#handOver([held]);
      return;
    }
    this.#unsigned.set(orderId, cancel);
    this.#slice ??= this.#options.timer.soon(() => this.#signSlice());
  }

  ended(orderIds: readonly OrderId[]): void {
    if (this.#guards.size === 0) return;
    for (const orderId of orderIds) {
      this.#unsigned.delete(orderId);
      this.#held.delete(orderId);
    }
    this.#tellAll({ event: "ended", orderIds: [...orderIds] });
  }

  /** The run is over. Without an order left the guards have nothing to do; otherwise they send what they hold. */
  close(isNothingLeft: boolean): void {
    this.#isClosed = true;
    this.#beat?.cancel();
    this.#slice?.cancel();
    if (isNothingLeft) this.#tellAll({ event: "goodbye" });
    for (const connection of this.#guards.keys()) connection.end();
    this.#guards.clear();
  }

  #remove(connection: LineConnection): void {
    if (!this.#guards.delete(connection) || this.#guards.size > 0) return;
    this.#beat?.cancel();
    this.#slice?.cancel();
    this.#slice = undefined;
    this.#unsigned.clear();
    this.#held.clear();
    this.#options.push({ type: "guard", isConnected: false });
  }

  #signSlice(): void {
    this.#slice = undefined;
    const cancels: HeldCancel[] = [];
    for (const [orderId, cancel] of this.#unsigned) {
      if (cancels.length === SLICE) {
        this.#slice = this.#options.timer.soon(() => this.#signSlice());
        break;
      }
      this.#unsigned.delete(orderId);
      const held = this.#signed(cancel, orderId);
      if (held !== undefined) cancels.push(held);
    }
    if (cancels.length > 0) this.#handOver(cancels);
  }

  #handOver(cancels: HeldCancel[]): void {
    for (const cancel of cancels) this.#held.set(cancel.orderId as OrderId, cancel);
    this.#tellAll({ event: "standby", cancels });
  }

  #signed({ nonce, strategy, ...order }: StandbyCancel, orderId: OrderId): HeldCancel | undefined {
    try {
      const { bytesHex, txHash } = this.#options.sign({
        type: "cancel",
        intent: 0,
        nonce,
        strategy,
        orderId,
      });
      const { orderNonce, isAcknowledged } = order;
      return { orderId, orderNonce, isAcknowledged, bytesHex, txHash, nonce };
    } catch (thrown) {
      this.#options.log.error({ err: thrown, orderId }, "a standby cancel could not be signed");
      return undefined;
    }
  }

  /** Shows the guards that the bot works, and drops guards that do not. */
  #sendBeat(): void {
    const { clock, timer, isWorking, venueOffsetMs } = this.#options;
    const nowUs = clock.monotonicUs();
    const isAwake = nowUs - this.#beatUs < OWN_GAP_US;
    this.#beatUs = nowUs;
    for (const [connection, lastMessageUs] of this.#guards) {
      if (!isAwake) this.#guards.set(connection, nowUs);
      else if (nowUs - lastMessageUs > SILENT_US) {
        connection.end();
        this.#remove(connection);
      }
    }
    if (this.#guards.size === 0) return;
    this.#tellUncovered();
    const offsetMs = venueOffsetMs();
    const venueMs = offsetMs === undefined ? null : clock.nowMs() + offsetMs;
    if (isWorking()) this.#tellAll({ event: "beat", venueMs });
    this.#beat = timer.after(GUARD_BEAT_MS, () => this.#sendBeat());
  }

  /** Guards cannot cancel an order without a signed cancel, but they can say that it is left. */
  #tellUncovered(): void {
    const orderIds: OrderId[] = [];
    for (const { orderId } of this.#options.liveOrders()) {
      if (orderId !== undefined && !this.#held.has(orderId)) orderIds.push(orderId);
    }
    for (let at = 0; at < orderIds.length; at += LINE_IDS) {
      this.#tellAll({ event: "uncovered", orderIds: orderIds.slice(at, at + LINE_IDS) });
    }
  }

  #tellAll(line: GuardLine): void {
    for (const connection of this.#guards.keys()) tell(connection, line);
  }
}

function tell(connection: LineConnection, line: GuardLine): void {
  connection.send(JSON.stringify(line));
}
