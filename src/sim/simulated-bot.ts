import { TransportError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { unixMs } from "../domain/time.ts";
import type { Clock } from "../ports/clock.ts";
import type { Http, HttpResponse } from "../ports/http.ts";
import { startLive } from "../runtime/live.ts";
import type { LivePorts } from "../runtime/live-settings.ts";
import { EarlyEnds, type StartMoment } from "./early-ends.ts";
import { isOrdering } from "./sent-commands.ts";
import type { Input } from "../kernel/input.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Bot, BotEnd } from "../runtime/bot.ts";
import type { BotWatch, SimulatedBotOptions } from "./simulated-bot-options.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import { simulatedChainId } from "./scenario.ts";
import { simulatedSettings } from "./simulated-settings.ts";
import { VirtualProcess } from "./virtual-process.ts";
import { watchBlocked } from "./virtual-watchdog.ts";
import { type SeenTransaction, transactionOf } from "./seen-transaction.ts";

/** A supervisor starts the process again this long after it could not start. */
const RESTART_MS = 1_000;
/** A process that is stopped while it starts exits this much later at the latest, as `leaveSoon` in `cli/main.ts` has it. */
const EXIT_MS = 2_000;

/** Why a run ends whose session wallet may not sign any more. */
const SESSION_END = /^the (session wallet|venue does not take our sign)/;

/** An answer of the venue that says whether it took the command (D11). A page of a proxy says nothing. */
function isReadable({ status, headers }: HttpResponse): boolean {
  return status < 500 && headers["content-type"] === "application/json";
}

/** How long a 429 tells to wait, ms; no client waits for more than a minute. */
function waitOf({ headers }: HttpResponse): number {
  return Math.min(Number(headers["retry-after"] ?? 0), 60) * 1000;
}

/** The live bot as a process that may be killed at any time and is then restarted, as a supervisor restarts a service. */
export class SimulatedBot {
  readonly #options: SimulatedBotOptions;
  #process: VirtualProcess | undefined;
  /** The watchdog's thread of the process. */
  #thread: VirtualProcess | undefined;
  #bot: Bot | undefined;
  /** Number of power cuts, which names the machine's start. */
  #cuts = 0;
  #isStopping = false;
  readonly #earlyEnds: EarlyEnds;
  /** Orders of which the network has lost the first cancel. */
  readonly #lostCancels = new Set<OrderId>();
  /** Ends the start that is under way, as a signal does. */
  #interrupt = new AbortController();
  /** The operator has stopped the newest process, at `sinceMs` on the clock of `elapsedMs`. */
  #stopped: { readonly sinceMs: number; readonly restartMs: number } | undefined;
  /** Number of processes so far. */
  #starts = 0;
  /** Whether the newest process ended by itself before it had a kernel. */
  #hasStartFailed = false;
  /** Whether the operator wants the bot paused; a bot that is down gets the command when it runs again. */
  #isPaused = false;
  #hasPaused = false;
  /** Whether the operator's newest command was journaled. */
  #isTold = false;
  /** When the newest run ended; undefined while one goes on. */
  #downSinceMs: number | undefined;
  #isClosed = false;
  /** The bot's wall clock minus the venue's, in ms. */
  skewMs: number;

  constructor(options: SimulatedBotOptions) {
    this.#options = options;
    this.skewMs = options.scenario.skewMs;
    this.#earlyEnds = new EarlyEnds(options.time);
  }

  /** True from the start of a process until it ends or is killed. */
  get isAlive(): boolean {
    return this.#bot !== undefined;
  }

  /** Since when a process has been starting that has no kernel yet, on the clock of `elapsedMs`; undefined when there is none. */
  startingSinceMs: number | undefined;

  start(): void {
    void this.#start();
  }

  /** Whether a call blocks the running process. */
  get isBlocked(): boolean {
    return this.isAlive && this.#process?.isBlocked === true;
  }

  /** Since when a call has blocked the newest process, on the clock of `elapsedMs`; undefined when none does. */
  get blockedSinceMs(): number | undefined {
    return this.#process?.blockedSinceMs;
  }

  /** A call that is under way takes this long. A watchdog ends the process when that is too long. */
  stall(ms: number): void {
    const { time, network, watch, signer, session } = this.#options;
    const process = this.#process;
    if (process === undefined || this.#isStopping) return;
    const wasBlocked = process.isBlocked;
    process.block(ms);
    // The time goes on that is watched already.
    if (wasBlocked) return;
    const http = this.#watchedHttp((transaction) => {
      if (transaction !== undefined) watch.watchdogRequest(transaction);
    });
    const thread = new VirtualProcess({ timer: time, http, connector: network.connector });
    this.#thread = thread;
    watchBlocked({
      settings: simulatedSettings(this.#options, this.#starts),
      ports: { ...this.#portsOf(thread), clock: this.#clockOf(undefined) },
      blocked: process,
      signerOf: (address) => (session === undefined ? signer : session.openedBy(address)),
      end: (left) => {
        watch.watchdogEnded(left);
        this.kill(RESTART_MS);
      },
    });
  }

  /** Sends the signal to stop. From then on the bot is not killed. */
  stop(): void {
    this.#isStopping = true;
    this.#bot?.stop();
  }

  /**
   * Kills the process as kill -9 does and restarts it after `restartMs`. Does nothing while the bot is stopping, and while it is starting only
   * with `whileStarting`.
   */
  kill(restartMs: number, whileStarting = false): void {
    if (this.#end("killed", restartMs, whileStarting)) this.#options.store.killed();
  }

  /** As in `FaultTarget`. */
  endStarts(restartMs: number, moment: () => StartMoment, end: () => void): () => void {
    if (this.#earlyEnds.hasOrdered) this.kill(restartMs);
    return this.#earlyEnds.arm(moment, end);
  }

  /** The operator stops the process, which may be starting, and starts it again `restartMs` after its end. */
  stopAndRestart(restartMs: number): void {
    const { time, log, watch } = this.#options;
    const [bot, process] = [this.#bot, this.#process];
    const isStarting = this.startingSinceMs !== undefined;
    if (process === undefined || this.#isStopping || this.#stopped !== undefined) return;
    if (bot === undefined && !isStarting) return;
    log.warn({}, "stopped by the operator");
    watch.endedWhileStarting("stopped");
    this.#stopped = { sinceMs: time.elapsedMs, restartMs };
    if (bot !== undefined) {
      process.run(() => bot.stop());
      return;
    }
    // As `run` does (cli/run-bot.ts).
    this.#interrupt.abort();
    process.closeHttp();
    time.after(EXIT_MS, () => this.#exit(process));
  }

  /** A process that was stopped while it started ends. */
  #exit(process: VirtualProcess): void {
    const { store, time } = this.#options;
    if (process.isDead || this.#stopped === undefined) return;
    process.kill();
    store.killed();
    this.startingSinceMs = undefined;
    time.after(this.#stopped.restartMs, () => this.#restart());
  }

  /**
   * As `kill`, but only the share `keep` (0 to 1) of the data not yet synced is left, with `losesPage` also without one of its pages.
   * Returns false when no process was killed.
   */
  powerCut(
    restartMs: number,
    { keep, losesPage }: { readonly keep: number; readonly losesPage: boolean },
    whileStarting = false,
  ): boolean {
    const hasEnded = this.#end("power cut", restartMs, whileStarting);
    if (hasEnded) {
      this.#cuts += 1;
      this.#isTold = false;
      this.#options.store.powerCut(keep, { losesPage });
      this.#options.session?.powerCut();
    }
    return hasEnded;
  }

  hangDisk(isHanging: boolean): void {
    this.#options.store.isStuck = isHanging;
  }

  /** What the operator wants from now on. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#hasPaused = true;
    this.#isTold = false;
    const bot = this.#bot;
    this.#process?.run(() => (isPaused ? bot?.pause() : bot?.resume()));
  }

  /** The operator ends the steps of the risk ladder. */
  resume(force: boolean): void {
    const bot = this.#bot;
    if (!this.#isPaused) this.#process?.run(() => bot?.resume(undefined, force));
  }

  /** The operator tells the bot to give this foreign order to a strategy (`taker` as in `OrderByHand`), or to cancel it. Returns whether the bot shows the order. */
  disposeOf(orderId: OrderId, fate: "takenOver" | "canceled", taker: number): boolean {
    const bot = this.#bot;
    const takers = bot?.foreignOrders.find((order) => order.orderId === orderId)?.takers;
    const strategy = takers?.[Math.floor(taker * takers.length)];
    if (bot === undefined || strategy === undefined) return false;
    this.#process?.run(() => {
      if (fate === "canceled") bot.cancel([orderId]);
      else bot.takeOver(strategy, orderId);
    });
    return true;
  }

  /** Whether the running process has sent an order. */
  get hasOrdered(): boolean {
    return this.isAlive && this.#earlyEnds.hasOrdered;
  }

  #end(how: string, restartMs: number, whileStarting: boolean): boolean {
    const { log, time, watch } = this.#options;
    const bot = this.#bot;
    const isStarting = whileStarting && this.startingSinceMs !== undefined;
    if ((bot === undefined && !isStarting) || this.#isStopping) return false;
    log.warn({}, how);
    if (whileStarting) watch.endedWhileStarting(how);
    this.#bot = undefined;
    this.startingSinceMs = undefined;
    this.#downSinceMs ??= time.elapsedMs;
    // Observers must have seen every step that is in the journal. One that waited for the disk goes on after this event.
    bot?.observers.flush();
    this.#process?.kill();
    this.#thread?.kill();
    time.after(restartMs, () => this.#restart());
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#process?.kill();
    this.#thread?.kill();
  }

  #restart(): void {
    if (!this.#isClosed) void this.#start();
  }

  async #start(): Promise<void> {
    const { time, network, store, log, watch } = this.#options;
    const http = this.#watchedHttp((transaction) => {
      watch.request(transaction);
      const isOrder = transaction !== undefined && isOrdering(transaction);
      this.#earlyEnds.requested(isOrder);
    });
    const process = new VirtualProcess({
      timer: time,
      http,
      connector: network.connector,
      elapsedMs: () => time.elapsedMs,
    });
    this.#process = process;
    this.startingSinceMs = time.elapsedMs;
    this.#starts += 1;
    this.#stopped = undefined;
    this.#interrupt = new AbortController();
    this.#earlyEnds.processStarts();
    watch.processStarts(this.#hasStartFailed);
    this.#hasStartFailed = false;
    try {
      const bot = await this.#startLive(process);
      if (this.#stopped !== undefined) this.#exit(process);
      if (process.isDead) return;
      this.#bot = bot;
      this.startingSinceMs = undefined;
      watch.runStarts(this.#downSinceMs === undefined ? 0 : time.elapsedMs - this.#downSinceMs);
      this.#downSinceMs = undefined;
      bot.observers.on((entry) => {
        if (process.isDead) return;
        this.#note(entry);
        watch.entry(entry);
      });
      void this.#follow(bot, process);
      this.#repeatPause(bot);
    } catch (thrown) {
      if (this.#stopped !== undefined) this.#exit(process);
      if (process.isDead) return;
      const reason = errorText(thrown);
      log.warn({ reason }, "the bot did not start");
      this.startingSinceMs = undefined;
      this.#hasStartFailed = true;
      watch.startFailed();
      store.killed();
      time.after(RESTART_MS, () => this.#restart());
    }
  }

  #startLive(process: VirtualProcess): Promise<Bot> {
    const { session } = this.#options;
    const [settings, ports] = [
      simulatedSettings(this.#options, this.#starts),
      this.#portsOf(process),
    ];
    return session === undefined ? startLive(settings, ports) : session.start(settings, ports);
  }

  #portsOf(process: VirtualProcess): LivePorts {
    const { store, prng, log, crypto, signer } = this.#options;
    const random = prng.fork("bytes");
    return {
      clock: this.#clockOf(process),
      timer: process.timer,
      http: process.http,
      connector: process.connector,
      store: process.storeOn(store),
      log,
      crypto,
      signer,
      stop: this.#interrupt.signal,
      bootId: `boot ${this.#cuts}`,
      randomBytes: (count) => Uint8Array.from({ length: count }, () => random.int(0, 255)),
    };
  }

  /** Tells a new process what the operator wants. */
  #repeatPause(bot: Bot): void {
    if (!this.#hasPaused || (this.#options.scenario.tellsOnce && this.#isTold)) return;
    if (this.#isPaused) bot.pause();
    else bot.resume();
  }

  #note({ batch }: ObservedEntry): void {
    const wanted = this.#isPaused ? "pause" : "resume";
    const isTold = (input: Input): boolean => input.type === "operator" && input.command === wanted;
    this.#isTold ||= batch.inputs.some(isTold);
  }

  async #follow(bot: Bot, process: VirtualProcess): Promise<void> {
    const { store, watch, time } = this.#options;
    const refused = store.refused;
    const end = await bot.done;
    if (process.isDead) return;
    this.#bot = undefined;
    store.killed();
    this.#downSinceMs = time.elapsedMs;
    if (!this.#isStopping && this.#stopped !== undefined) {
      const { sinceMs, restartMs } = this.#stopped;
      watch.operatorEnded(end, time.elapsedMs - sinceMs);
      time.after(restartMs, () => this.#restart());
      return;
    }
    const tell = store.refused === refused ? this.#endOf(end) : watch.diskEnded;
    if (this.#isStopping || tell === undefined) {
      watch.ended(end);
      return;
    }
    tell(end);
    time.after(RESTART_MS, () => this.#restart());
  }

  /** Whom to tell of a run that ended by itself; undefined when it should not have ended. */
  #endOf({ reason }: BotEnd): ((end: BotEnd) => void) | undefined {
    const { watch, session } = this.#options;
    if (reason.startsWith("every strategy failed")) return watch.strategyEnded;
    return session !== undefined && SESSION_END.test(reason) ? watch.sessionEnded : undefined;
  }

  /** Wall clocks differ between machines; spans of time do not. */
  #clockOf(process: VirtualProcess | undefined): Clock {
    const { time } = this.#options;
    const aheadMs = (): number => process?.aheadMs ?? 0;
    return {
      nowMs: () => unixMs(Math.floor(time.nowMs() + this.skewMs + aheadMs())),
      monotonicUs: () => time.monotonicUs() + aheadMs() * 1000,
    };
  }

  /** Whether the network loses a cancel: of each order the first one, while that fault is on. */
  #isLost(transaction: SeenTransaction | undefined): boolean {
    if (!this.#options.network.faults.loseFirstCancel) return false;
    if (transaction?.command.type !== "cancel") return false;
    const { orderId } = transaction.command;
    const isFirst = !this.#lostCancels.has(orderId);
    this.#lostCancels.add(orderId);
    return isFirst;
  }

  #watchedHttp(onRequest: BotWatch["request"]): Http {
    const { network, watch, crypto, session } = this.#options;
    return {
      request: (request) => {
        const transaction = transactionOf(request, {
          chainId: simulatedChainId,
          crypto,
          hasSigner: session !== undefined,
        });
        onRequest(transaction);
        const response = this.#isLost(transaction)
          ? network.lost(request)
          : network.http.request(request);
        return response.then(
          (received) => {
            if (received.status === 429) watch.limited(waitOf(received));
            if (transaction === undefined) return received;
            if (!isReadable(received)) watch.broken(transaction);
            else {
              watch.answered(transaction);
              if (received.status >= 400) watch.refused(transaction);
            }
            return received;
          },
          (thrown: unknown) => {
            const isUnsent = thrown instanceof TransportError && thrown.outcome === "not-sent";
            if (transaction !== undefined) {
              if (isUnsent) watch.notSent(transaction);
              else watch.broken(transaction);
            }
            throw thrown;
          },
        );
      },
      close: () => network.http.close(),
    };
  }
}
