import { isCommand, makesOrder, type Command } from "../domain/command.ts";
import type { MeasuredEntry, SignedEntry } from "../journal/entry.ts";
import type { StandbyCancel } from "../kernel/effect.ts";
import type { Batch, Input } from "../kernel/input.ts";
import type { Kernel, Step } from "../kernel/kernel.ts";
import { OwnOrders } from "../orders/own-orders.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import {
  carryOutPlain,
  ORDER_AGE_MAX_MS,
  type Outlet,
  type PlainEffectPorts,
  type SendDelay,
  unsentReason,
} from "./carry-out.ts";
import { isFromStream, isMarketData } from "./input-kinds.ts";
import { type DriverJournal, type Durability, JournalWriter } from "./journal-writer.ts";
import type { ObservedEntry, Observers } from "./observers.ts";
import { type SignedOrder, signedOrders } from "./signed-orders.ts";
import { UnsentOrders } from "./unsent-orders.ts";

/** The kernel, or a test's substitute for it. */
export type Stepper = Pick<Kernel, "step" | "nextDeadlineMs">;

/** Takes market data that nothing waits for without a step; see `Kernel.absorb`. */
export type Absorber = Pick<Kernel, "absorb">;

export interface DriverOptions extends PlainEffectPorts {
  readonly kernel: Stepper;
  /** Never goes back. */
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Undefined in modes that have nothing to recover after a restart. */
  readonly journal: DriverJournal | undefined;
  readonly durability: Durability;
  readonly observers: Observers;
  readonly outlet: Outlet;
  sign(command: Command): SignedCommand;
  /** Called when the venue refused the signature of a command, so that the caller can check the signer's permission. */
  readonly onSignerRefused?: (() => void) | undefined;
  /** The kernel, where neither journal nor observers need all inputs: then decisions are the same with fewer steps. */
  readonly absorber?: Absorber | undefined;
  /** Largest number of queued inputs; default 65536. */
  readonly queueCapacity?: number;
  /** Ended orders remembered by id; default 100,000. */
  readonly olderOrders?: number;
}

/** How a run ended. `crash` is set when a bug ended it; the caller then cancels the orders known to be open. */
export interface DriverEnd {
  readonly ok: boolean;
  readonly reason: string;
  readonly crash: Error | undefined;
  /** What ended a failed run, for programs, where it has a name of its own. */
  readonly code?: string | undefined;
}

/** One step of the kernel, before its effects are carried out. */
interface Turn {
  readonly batch: Batch;
  readonly step: Step;
  readonly signed: readonly SignedEntry[];
  readonly receivedUs: number | undefined;
  /** How long strategies, signatures and the journal's append took, in milliseconds; 0 without commands. */
  readonly stepMs: number;
}

const QUEUE_CAPACITY = 65_536;
/** Ended orders remembered by id, so that the final list of open orders never takes one for another program's. */
const OLDER_ORDERS = 100_000;
/**
 * The loop around the kernel. Each turn makes one batch of all queued inputs, signs the step's commands one by one, writes the
 * turn to the journal in one append, and then sends the effects. The hashes of signed commands are the first inputs of the
 * next batch. Time, sockets and files are reached through ports only.
 */
export class Driver {
  readonly #options: DriverOptions;
  readonly #capacity: number;
  /** Resolves when the kernel has finished, the caller gave up, or a bug ended the run. */
  readonly done: Promise<DriverEnd>;
  /** Every order of the run as of the newest step; complete even when observers miss entries. */
  readonly orders: OwnOrders;
  readonly #writer: JournalWriter | undefined;
  readonly #unsent = new UnsentOrders();
  #resolve: (end: DriverEnd) => void = () => undefined;
  #signed: Input[] = [];
  #queue: Input[] = [];
  /** Monotonic time of the oldest frame in the queue; undefined when no frame is queued. */
  #receivedUs: number | undefined;
  #seq = 0;
  #deadlineMs: number | undefined;
  #deadlineTimer: TimerHandle | undefined;
  #wake: TimerHandle | undefined;
  /** The step that waits for the disk. */
  #waiting: Turn | undefined;
  #ended: DriverEnd | undefined;
  #shed = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#capacity = options.queueCapacity ?? QUEUE_CAPACITY;
    this.orders = new OwnOrders({ older: options.olderOrders ?? OLDER_ORDERS });
    const { journal, durability, timer } = options;
    const failed = (message: string): void => this.#journalFailed(message);
    this.#writer = journal && new JournalWriter({ journal, durability, timer, failed });
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whether the journal gets what is pushed from now on; true for a run without a journal until it is over. */
  get isRecording(): boolean {
    return !this.#isOver && this.#hasJournal;
  }

  /** Inputs from the streams that were shed because the queue was full. */
  get shed(): number {
    return this.#shed;
  }

  /** How the run ended; undefined while it continues. */
  get ended(): DriverEnd | undefined {
    return this.#ended;
  }

  /** No step is made before the disk has confirmed the last one. */
  get isWaitingForDisk(): boolean {
    return this.#waiting !== undefined;
  }

  /** Orders of the step that waits for the disk, which are sent after it and in no table of orders yet. */
  get waitingOrders(): readonly SignedOrder[] {
    if (this.#waiting === undefined) return [];
    return signedOrders(this.#waiting.step.effects, this.#waiting.signed);
  }

  /** False once the journal has failed; a run without a journal has nothing that could fail. */
  get #hasJournal(): boolean {
    return this.#writer?.hasFailed !== true;
  }

  get #isOver(): boolean {
    return this.#ended !== undefined;
  }

  /** Schedules the first step, with the inputs that were pushed before. */
  start(): void {
    this.#deadlineMs = this.#options.clock.nowMs();
    this.#schedule();
  }

  /** Queues an input. `receivedUs` is the monotonic time of the socket's callback, for frames. */
  push(input: Input, receivedUs?: number): void {
    if (this.#isOver || this.#isAbsorbed(input)) return;
    if (this.#queue.length >= this.#capacity && isFromStream(input)) {
      this.#shed += 1;
      // Another price follows by itself.
      if (input.type === "source") return;
      this.#options.reconnect("market data arrives faster than it can be processed");
      return;
    }
    this.#queue.push(input);
    if (receivedUs !== undefined) this.#receivedUs ??= receivedUs;
    this.#schedule();
  }

  /** Writes what observers have measured to the journal. */
  measured(measured: MeasuredEntry): void {
    this.#writer?.measured(measured);
  }

  /** Ends the run at once and as failed, without another step. */
  end(reason: string): void {
    this.#end({ ok: false, reason, crash: undefined });
  }

  /** An input that is queued keeps those after it in the queue, so that the kernel gets them in order. */
  #isAbsorbed(input: Input): boolean {
    const { absorber, clock } = this.#options;
    if (absorber === undefined || this.#queue.length + this.#signed.length > 0) return false;
    if (!isMarketData(input)) return false;
    const nowMs = clock.nowMs();
    const taken = absorber.absorb(input, nowMs);
    if (taken === "due") {
      this.#deadlineMs = nowMs;
      this.#schedule();
    }
    return taken !== "no";
  }

  #schedule(): void {
    if (this.#wake !== undefined || this.isWaitingForDisk || this.#isOver) return;
    this.#wake = this.#options.timer.soon(this.#woken);
  }

  readonly #woken = (): void => {
    this.#wake = undefined;
    this.#turn();
  };

  #turn(): void {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    const isDue = this.#deadlineMs !== undefined && this.#deadlineMs <= nowMs;
    if (this.#isOver || (this.#signed.length + this.#queue.length === 0 && !isDue)) return;
    const inputs = this.#signed.length === 0 ? this.#queue : [...this.#signed, ...this.#queue];
    const receivedUs = this.#receivedUs;
    this.#signed = [];
    this.#queue = [];
    this.#receivedUs = undefined;
    try {
      this.#seq += 1;
      this.#run({ seq: this.#seq, nowMs, inputs }, receivedUs);
    } catch (thrown) {
      this.#crash(thrown);
    }
  }

  #run(batch: Batch, receivedUs: number | undefined): void {
    const { kernel, sign, clock } = this.#options;
    const writer = this.#writer;
    const step = kernel.step(batch);
    const signed: SignedEntry[] = [];
    for (const effect of step.effects) {
      if (!isCommand(effect)) continue;
      const { txHash, bytesHex } = sign(effect);
      signed.push({ intent: effect.intent, txHash, bytesHex });
      this.#signed.push({ type: "signed", intent: effect.intent, txHash });
    }
    const { effects, ended, booked, carried } = step;
    const entry = { batch, effects, signed, ended, booked };
    writer?.append(carried.length === 0 ? entry : { ...entry, carried });
    const stepMs = signed.length === 0 ? 0 : clock.nowMs() - batch.nowMs;
    const turn = { batch, step, signed, receivedUs, stepMs };
    if (writer?.mustWait(effects, signed, batch.nowMs) === true) this.#waitForDisk(writer, turn);
    else this.#finish(turn);
  }

  /** A disk that hangs holds back only orders: cancels and the next steps wait no longer than an order may. */
  #waitForDisk(writer: JournalWriter, turn: Turn): void {
    const { clock, timer } = this.#options;
    this.#waiting = turn;
    const waitsSinceMs = clock.nowMs();
    let isResumed = false;
    const resume = (isDurable: boolean): void => {
      if (isResumed) return;
      isResumed = true;
      limit.cancel();
      this.#waiting = undefined;
      if (this.#isOver) return;
      const diskMs = clock.nowMs() - waitsSinceMs;
      try {
        if (!isDurable && writer.gaveUp()) this.#warnOfDisk();
        this.#finish(turn, isDurable ? diskMs : Math.max(diskMs, tooLongMs));
        this.#schedule();
      } catch (thrown) {
        this.#crash(thrown);
      }
    };
    const tooLongMs = ORDER_AGE_MAX_MS + 1;
    const limit = timer.after(tooLongMs, () => resume(false));
    void writer.confirm(turn.step.effects).then(resume);
  }

  /** Sends the effects first, then does the work that can wait. `diskMs`: for a step that waited for the disk. */
  #finish(turn: Turn, diskMs?: number): void {
    const { batch, step, signed, stepMs } = turn;
    const tickToOrder = this.#carryOut(turn, { stepMs, diskMs: diskMs ?? 0 });
    this.#arm(this.#options.kernel.nextDeadlineMs, batch.nowMs);
    if (this.#signed.length > 0) this.#schedule();
    this.#writer?.maintain();
    this.#followOrders(step, signed);
    if (step.ended.length > 0) this.#options.standby?.ended(step.ended);
    if (step.signerRefused) this.#options.onSignerRefused?.();
    const { effects, notes, carried } = step;
    const sendDelayMs = diskMs === undefined ? undefined : stepMs + diskMs;
    this.#options.observers.offer({ batch, effects, notes, carried, tickToOrder, sendDelayMs });
    for (const effect of effects) {
      if (effect.type === "finished") {
        const { ok, reason, code } = effect;
        this.#end({ ok: ok && this.#hasJournal, reason, crash: undefined, code });
      }
    }
  }

  #carryOut(
    { step: { effects }, signed, receivedUs }: Turn,
    delay: SendDelay,
  ): ObservedEntry["tickToOrder"] {
    const { outlet, clock } = this.#options;
    const samples: ObservedEntry["tickToOrder"][number][] = [];
    // Commands were signed in the order of the effects, so the next signature belongs to the next command.
    let next = 0;
    const late: string[] = [];
    for (const effect of effects) {
      if (!isCommand(effect)) {
        if (effect.type !== "standby") carryOutPlain(effect, this.#options);
        // The nonce of a standby cancel belongs to it only once it is in the journal.
        else if (this.#hasJournal) this.#handOver(effect, signed);
        continue;
      }
      const command = signed[next];
      next += 1;
      if (command === undefined) continue;
      const message = unsentReason(effect, { hasJournal: this.#hasJournal, delay });
      if (message !== undefined) {
        const { intent } = effect;
        const outcome = { type: "not-sent", message, isHeldBack: true } as const;
        this.#queue.push({ type: "response", intent, outcome });
        if (makesOrder(effect) && this.#hasJournal) late.push(message);
        continue;
      }
      outlet.send(effect, command, () => {
        if (receivedUs !== undefined && makesOrder(effect)) {
          const { strategy, marketId } = effect;
          samples.push({ strategy, marketId, us: clock.monotonicUs() - receivedUs });
        }
      });
    }
    const warning = this.#unsent.add(late, clock.nowMs());
    if (warning !== undefined) this.#queue.push(warning);
    return samples;
  }

  /** Standby cancels follow all commands of their step, so none waits for them. */
  #handOver(cancel: StandbyCancel, signed: readonly SignedEntry[]): void {
    const { txHash } = signed.find(({ intent }) => intent === cancel.intent) ?? {};
    const orderId = cancel.orderId ?? txHash;
    if (orderId === undefined) return;
    this.#options.standby?.made(cancel, orderId, cancel.orderId === undefined);
  }

  #followOrders({ notes }: Step, signed: readonly SignedEntry[]): void {
    for (const note of notes) if (note.type === "order") this.orders.apply(note);
    for (const { intent, txHash } of signed) this.orders.signed(intent, txHash);
  }

  /** Sets the one timer to the kernel's next deadline. */
  #arm(deadlineMs: number | undefined, nowMs: number): void {
    if (deadlineMs === this.#deadlineMs && deadlineMs !== undefined && deadlineMs > nowMs) return;
    this.#deadlineTimer?.cancel();
    this.#deadlineTimer = undefined;
    this.#deadlineMs = deadlineMs;
    if (deadlineMs === undefined) return;
    // At least a millisecond: a deadline that stays in the past must not keep the loop spinning.
    const waitMs = Math.max(1, Math.ceil(deadlineMs - this.#options.clock.nowMs()));
    this.#deadlineTimer = this.#options.timer.after(waitMs, this.#onDeadline);
  }

  readonly #onDeadline = (): void => {
    this.#deadlineTimer = undefined;
    const { kernel, clock } = this.#options;
    // What was absorbed may have moved it.
    const deadlineMs = kernel.nextDeadlineMs;
    this.#deadlineMs = deadlineMs;
    const nowMs = clock.nowMs();
    // A timer may fire a little early.
    if (deadlineMs !== undefined && deadlineMs > nowMs) {
      this.#deadlineMs = undefined;
      this.#arm(deadlineMs, nowMs);
    } else {
      this.#schedule();
    }
  };

  #journalFailed(message: string): void {
    if (this.#isOver) return;
    this.#options.log.error({ message }, "the journal failed: canceling own orders, then stopping");
    this.push({ type: "journalFailed", message });
  }

  #warnOfDisk(): void {
    const message = "the disk does not answer: no order is sent, and cancels leave without it";
    this.#options.log.warn({}, message);
  }

  #crash(thrown: unknown): void {
    const crash = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#options.log.error({ err: crash }, "a bug ended the run");
    this.#end({ ok: false, reason: `a bug ended the run: ${crash.message}`, crash });
  }

  #end(end: DriverEnd): void {
    if (this.#isOver) return;
    this.#ended = end;
    this.#wake?.cancel();
    this.#deadlineTimer?.cancel();
    this.#writer?.close();
    this.#queue = [];
    this.#resolve(end);
  }
}
