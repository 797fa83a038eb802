import type { Address, OrderId } from "../domain/ids.ts";
import type { SeenTransaction } from "./seen-transaction.ts";

/** The venue takes a command while its clock and the nonce differ by no more (D6). */
export const NONCE_WINDOW_MS = 60_000;

/** A command without an answer is sent again by then. */
const RESEND_MS = 2_500;

/** Without an answer for so long an order is in doubt, and serves no quote. */
const ANSWER_MS = 1_000;

/** A bot waits for this long after a nonce has expired, for its doubt about the venue's clock and for what is on its way. */
const DOUBT_MS = 12_000;

/** Whether the command makes an order. */
export function isOrdering({ command: { type } }: SeenTransaction): boolean {
  return type === "place" || type === "stop" || type === "modify";
}

/** The commands that left the bot, over all of its runs, and which of them the venue may still take. */
export class SentCommands {
  /** Commands that have not reached the venue, by hash, with the number of requests that carry them and the time of the first. */
  readonly #open = new Map<
    OrderId,
    { readonly command: SeenTransaction; readonly sentMs: number; requests: number }
  >();
  /** Commands of which no readable answer has come to the bot (D11), by hash: for all that it can know the venue has them. */
  readonly #unanswered = new Map<
    OrderId,
    { readonly command: SeenTransaction; readonly sentMs: number; isBroken: boolean }
  >();
  /** By order: the newest command that is to end it, a cancel or a modify. */
  readonly #endings = new Map<OrderId, { readonly hash: OrderId; readonly sentMs: number }>();
  /** Commands that the venue has read. */
  readonly #read = new Set<OrderId>();
  /** Commands that the venue refused by a response that reached the bot's machine. It may take another copy of one. */
  readonly refused = new Set<OrderId>();
  /** Whose key signed the newest command; undefined while that is not recovered. */
  newestSigner: Address | undefined;
  readonly #elapsedMs: () => number;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  sent(command: SeenTransaction): void {
    const { hash, command: decoded } = command;
    this.newestSigner = command.signer;
    const open = this.#open.get(hash);
    this.#unanswered.set(hash, { command, sentMs: this.#elapsedMs(), isBroken: false });
    if (open === undefined) {
      this.#open.set(hash, { command, sentMs: this.#elapsedMs(), requests: 1 });
    } else open.requests += 1;
    if (decoded.type === "cancel" || decoded.type === "modify") {
      this.#endings.set(decoded.orderId, { hash, sentMs: this.#elapsedMs() });
    }
  }

  /** Whether a command is to end this order that the venue has read, or that was sent no longer ago than this. */
  readonly isLeaving = (orderId: OrderId, withinMs = RESEND_MS): boolean => {
    const ending = this.#endings.get(orderId);
    if (ending === undefined) return false;
    return this.isEndingRead(orderId) || this.#elapsedMs() - ending.sentMs <= withinMs;
  };

  /** When the newest command that is to end this order was sent, unless the venue has read it. */
  undeliveredEndingMs(orderId: OrderId): number | undefined {
    return this.isEndingRead(orderId) ? undefined : this.#endings.get(orderId)?.sentMs;
  }

  /** Whether the venue has read the newest command that is to end this order. One that is open all the same came behind it. */
  isEndingRead(orderId: OrderId): boolean {
    const ending = this.#endings.get(orderId);
    return ending !== undefined && this.#read.has(ending.hash);
  }

  /** No byte of one of its requests left the machine, which the bot knows. */
  notSent(hash: OrderId): void {
    this.#unanswered.delete(hash);
    this.dropped(hash);
  }

  /** The venue died over one of its requests, which can no longer be carried out. */
  dropped(hash: OrderId): void {
    const open = this.#open.get(hash);
    if (open === undefined) return;
    open.requests -= 1;
    if (open.requests === 0) this.#open.delete(hash);
  }

  /** A readable answer to it has come to the bot's machine. */
  answered(hash: OrderId): void {
    this.#unanswered.delete(hash);
  }

  /** A response to it broke on its way, or is not the venue's. */
  broken(hash: OrderId): void {
    const unanswered = this.#unanswered.get(hash);
    if (unanswered !== undefined) unanswered.isBroken = true;
  }

  /** Whether the bot has learned nothing of it for longer than it waits for an answer. */
  isInDoubt(hash: OrderId): boolean {
    const unanswered = this.#unanswered.get(hash);
    if (unanswered === undefined) return false;
    // The bot counts whole milliseconds.
    return unanswered.isBroken || this.#elapsedMs() - unanswered.sentMs > ANSWER_MS - 1;
  }

  /** Commands of which the bot cannot know at `nowMs` of the venue's clock that the venue does not have them. */
  inDoubt(nowMs: number): readonly SeenTransaction[] {
    const inDoubt: SeenTransaction[] = [];
    for (const [hash, { command }] of this.#unanswered) {
      if (command.nonce + NONCE_WINDOW_MS + DOUBT_MS < nowMs) this.#unanswered.delete(hash);
      else inDoubt.push(command);
    }
    return inDoubt;
  }

  /** The venue has read it, and took or refused it. */
  arrived(hash: OrderId): void {
    this.#open.delete(hash);
    this.#read.add(hash);
  }

  /** Whether a command was sent so recently that an answer may be on its way; later its order is in doubt. */
  isAwaited(hash: OrderId): boolean {
    const open = this.#open.get(hash);
    return open !== undefined && this.#elapsedMs() - open.sentMs <= ANSWER_MS;
  }

  /** Whether a request with this command may still be on its way to the venue, which has not read it. */
  isUnderWay(hash: OrderId): boolean {
    return this.#open.has(hash);
  }

  /** Commands under way that the venue may take at `nowMs` of its clock or later. */
  underWay(nowMs: number): readonly SeenTransaction[] {
    const commands: SeenTransaction[] = [];
    for (const [hash, { command }] of this.#open) {
      if (command.nonce + NONCE_WINDOW_MS < nowMs) this.#open.delete(hash);
      else commands.push(command);
    }
    return commands;
  }
}
