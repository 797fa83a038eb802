import { errorText } from "../base/error-text.ts";
import type { ResumeOutcome } from "../control/controlled-bot.ts";
import { type CommandOrigin, givenBy } from "../domain/command-origin.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import type { WrittenParams } from "../kernel/input.ts";
import type { SourceRow } from "../kernel/sources/sources.ts";
import type { ForeignOrder } from "../orders/foreign-orders.ts";
import type { CallTimeRow } from "../metrics/call-time-row.ts";
import type { OperatorCommand } from "../kernel/input.ts";
import type { FlattenLeft, FlattenTerms } from "../kernel/takes/flatten-left.ts";
import type { SummaryFold } from "../metrics/summary-fold.ts";
import type { Summary } from "../metrics/summary.ts";
import type { Described } from "../domain/described.ts";
import type { TimerHandle } from "../ports/clock.ts";
import type { BotParts } from "./assemble-bot.ts";
import type { DriverEnd } from "./driver.ts";
import type { GuardLink } from "./guard-link.ts";
import type { HaltFile } from "./halt-file.ts";
import type { Observers } from "./observers.ts";

/** How a bot's run ended. */
export interface BotEnd {
  /** True for exit code 0: the bot stopped on request, and the venue confirmed that no own order is open. */
  readonly ok: boolean;
  readonly reason: string;
  /** What ended a failed run, for programs, such as `ANOTHER_BOT`; undefined for failures without a name of their own. */
  readonly code?: string | undefined;
  readonly summary: Summary;
  /** Own orders that are open or whose state is unknown. */
  readonly inQuestion: readonly OrderId[];
  /** Own orders that were left open on request. */
  readonly kept: readonly OrderId[];
}

/** How a mode finds the orders that a run leaves open, after its loop has ended. */
export interface Aftermath {
  /** The signing library, for the summary; `none` where nothing is signed. */
  readonly signerName: string;
  /** Nothing was sent. Default false. */
  readonly isDry?: boolean;
  /** Own orders that may still be open. After a crash it first cancels as many as it can, for `limitMs` at most where that is given. */
  inQuestion(end: Pick<DriverEnd, "crash">, limitMs?: number): Promise<readonly OrderId[]>;
  /** Ids of all open orders of the account; undefined when the venue has not answered by the deadline (monotonic, ms). */
  openOrders(deadlineMs: number): Promise<readonly OrderId[] | undefined>;
  /** Cancels own orders that the list shows, for `limitMs` at most. Left out at a venue that shows no order after its end. */
  cancelListed?(orderIds: readonly OrderId[], limitMs: number): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** What not every bot has. */
export interface BotExtras {
  /** Strategies whose positions a stop works off. */
  readonly flattens?: readonly string[] | undefined;
  readonly haltFile?: HaltFile;
  readonly guards?: GuardLink | undefined;
}

/** How far from the touch a stop works positions off. */
const STOP_SLIPPAGE = 0.005;

/** The kernel ends the run at its own deadline, and says what is left. It starts a little later than the backstop in this file. */
const BACKSTOP_MS = 1_000;
/** A run that a bug ends while it stops has this long for its last cancels, however late in the stop that is. */
const LAST_CANCELS_MIN_MS = 2_000;
/** How often a bot looks for a HALT file. */
const HALT_LOOK_MS = 1_000;

/** A running bot, at a venue or on paper. */
export class Bot {
  readonly #parts: BotParts;
  readonly #aftermath: Aftermath;
  /** Undefined in modes without a journal. */
  readonly #haltFile: HaltFile | undefined;
  readonly #flattens: readonly string[];
  #haltTimer: TimerHandle | undefined;
  #isHalted = false;
  #stopTimer: TimerHandle | undefined;
  /** Monotonic time at which the stop timer fires. */
  #stopByUs = Number.POSITIVE_INFINITY;
  /** The reason of the first `stopBecause`. */
  #failure: string | undefined;
  #keepsOrders = false;
  /** Until the next `stop`. */
  #isAskedToKeep = false;
  /** The kernel has ended; the last lists are read. */
  #isClosing = false;
  /** Monotonic time of the signal to stop. */
  #stoppedUs: number | undefined;
  /** Own orders that had ended and that the newest list at the end of the run shows. */
  #returned: readonly OrderId[] = [];
  /** Resolves when the run is over and everything is closed; never rejects. */
  readonly done: Promise<BotEnd>;

  /** Undefined in modes that send nothing. */
  readonly guards: GuardLink | undefined;

  /** Ids of trades that were booked by hand in this run. */
  readonly #booked = new Set<string>();
  /** Foreign orders that were given to a strategy. */
  readonly #given = new Set<string>();

  constructor(
    parts: BotParts,
    aftermath: Aftermath,
    { haltFile, guards, flattens = [] }: BotExtras = {},
  ) {
    this.#parts = parts;
    this.#aftermath = aftermath;
    this.#haltFile = haltFile;
    this.#flattens = flattens;
    this.guards = guards;
    this.done = parts.driver.done.then((end) => this.#close(end));
  }

  get markets(): readonly Market[] {
    return this.#parts.config.markets;
  }

  /** Nothing reaches the journal any more, since the run is over or the disk has failed. */
  get isEnding(): boolean {
    return !this.#parts.driver.isRecording;
  }

  get owner(): Address {
    return this.#parts.config.owner;
  }

  /** Receive every step of the kernel, for pages, metrics and recorders. */
  get observers(): Observers {
    return this.#parts.observers;
  }

  /** How long the strategies' functions took; empty where they are not measured. */
  get callTimes(): readonly CallTimeRow[] {
    return this.#parts.callTimes?.rows ?? [];
  }

  /** The price sources. */
  get sources(): readonly SourceRow[] {
    return this.#parts.kernel.sources;
  }

  /** Strategies with several markets, valued at the present mids. */
  get nets(): SummaryFold["nets"] {
    this.#parts.readMids();
    return this.#parts.summary.nets;
  }

  get summary(): SummaryFold {
    return this.#parts.summary;
  }

  start(): void {
    this.#lookForHalt();
    this.#parts.driver.start();
    this.#parts.feed.start();
  }

  /** Gives strategies new parameters between two decisions. They have been checked. */
  tune(strategies: readonly WrittenParams[], by?: CommandOrigin): void {
    this.#parts.driver.push({ type: "params", strategies, ...givenBy(by) });
  }

  /** The next `stop` leaves open what the strategies want open, for the next start; without effect on a bot that cancels already. */
  keepOrders(): void {
    if (this.#stoppedUs === undefined) this.#keepsOrders = true;
    this.#isAskedToKeep = true;
  }

  /** Whether the end of the run leaves orders open on request. */
  get keepsOrders(): boolean {
    return this.#keepsOrders;
  }

  /** Adds a trade that was made by hand to the strategy's position. Returns why not; undefined when it is booked. */
  book(strategy: string, fill: Fill, by?: CommandOrigin): string | undefined {
    const { marketId, tradeId } = fill;
    if (!this.#parts.kernel.tradesIn(strategy, marketId)) {
      return `${strategy} does not trade in ${marketId}`;
    }
    if (this.#booked.has(tradeId)) return `the trade ${tradeId} is already booked`;
    if (tradeId !== "") this.#booked.add(tradeId);
    this.#command({ command: "book", strategy, fill }, by);
    return undefined;
  }

  /** Ends the run normally: quoting stops, and own orders are canceled one by one and queried until each is settled. */
  stop(by?: CommandOrigin): void {
    const isSecond = this.#stoppedUs !== undefined;
    if (isSecond && !this.#isAskedToKeep) this.#keepNothing("it was to cancel its orders");
    this.#isAskedToKeep = false;
    const keeps = this.#keepsOrders ? ({ keepsOrders: true } as const) : {};
    this.#command({ command: "stop", ...keeps, ...this.#flattensFirst }, by);
    this.#stopWithin(this.#stopMs);
  }

  #command(command: OperatorCommand, by: CommandOrigin | undefined): void {
    this.#parts.driver.push({ type: "operator", ...command, ...givenBy(by) });
  }

  get #flattensFirst(): Pick<Extract<OperatorCommand, { command: "stop" }>, "flattens"> {
    if (this.#keepsOrders || this.#flattens.length === 0) return {};
    const withinMs = this.#stopMs / 2;
    return { flattens: { strategies: this.#flattens, maxSlippage: STOP_SLIPPAGE, withinMs } };
  }

  /** Pauses, cancels every own order and works the positions off, of one strategy or of all; `flattened` says what is left. `isAlone`: nothing is quoted in this run. */
  flatten(
    terms: FlattenTerms & { readonly isAlone?: true },
    strategy?: string,
    by?: CommandOrigin,
  ): void {
    this.#command({ command: "flatten", ...ofStrategy(strategy), ...terms }, by);
  }

  /** Cancels these own orders, or all that are open, of one strategy or of all; without a pause the strategies quote again. */
  cancel(orderIds: readonly string[] | undefined, strategy?: string, by?: CommandOrigin): void {
    const named = orderIds === undefined ? {} : { orderIds };
    this.#command({ command: "cancel", ...ofStrategy(strategy), ...named }, by);
  }

  /** Makes a foreign order a strategy's own. False when one has been given it already. */
  takeOver(strategy: string, orderId: string, by?: CommandOrigin): boolean {
    if (this.#given.has(orderId)) return false;
    this.#given.add(orderId);
    this.#command({ command: "takeOver", strategy, orderId }, by);
    return true;
  }

  /** As of the kernel. */
  get foreignOrders(): readonly ForeignOrder[] {
    return this.#parts.kernel.foreignOrders;
  }

  /** As of the kernel. */
  flattened(strategy?: string): readonly FlattenLeft[] | undefined {
    return this.#parts.kernel.flattened(strategy);
  }

  /** Of two ways to end the one that cancels counts. After the kernel's end nothing is canceled any more, so the run fails. */
  #keepNothing(reason: string): void {
    if (this.#keepsOrders && this.#isClosing) this.#failure ??= `${reason}, but had left them open`;
    this.#keepsOrders = false;
  }

  /**
   * Stops like `stop`, but the run counts as failed for this reason, even when every order was canceled.
   * `limitMs` bounds the canceling; the default is `timing.stop`.
   */
  stopBecause(reason: string, limitMs: number = this.#stopMs): void {
    this.#failure ??= reason;
    this.#parts.driver.push({ type: "mustStop", reason, limitMs });
    this.#stopWithin(limitMs);
  }

  get #stopMs(): number {
    return this.#parts.config.timing.stopMs;
  }

  /** Ends the run if the kernel has not finished within `limitMs`. A later call can only shorten the wait. */
  #stopWithin(limitMs: number): void {
    const { clock, timer, driver, summary } = this.#parts;
    const nowUs = clock.monotonicUs();
    this.#stoppedUs ??= nowUs;
    const byUs = nowUs + limitMs * 1000;
    if (byUs >= this.#stopByUs) return;
    this.#stopByUs = byUs;
    summary.stopSignal(clock.nowMs());
    this.#stopTimer?.cancel();
    this.#stopTimer = timer.after(limitMs + BACKSTOP_MS, () => {
      driver.end(`own orders could not be settled within ${Math.round(limitMs / 1000)} s`);
    });
  }

  /** How long the last cancels may take; undefined when the run was not being stopped, so nobody waits for its end. */
  get #lastCancelsMs(): number | undefined {
    if (this.#stoppedUs === undefined) return undefined;
    const leftMs = (this.#stopByUs - this.#parts.clock.monotonicUs()) / 1000 + BACKSTOP_MS;
    return Math.max(leftMs, LAST_CANCELS_MIN_MS);
  }

  /** Reports a warning like the kernel's own: in the log, on the page and in the journal. */
  warn(code: string, message: string): void {
    this.#parts.driver.push({ type: "warning", code, message });
  }

  /** Cancels all quotes, of one strategy or of all, and places none until `resume`. Stop orders and legs stay. */
  pause(strategy?: string, by?: CommandOrigin): void {
    this.#command({ command: "pause", ...ofStrategy(strategy) }, by);
  }

  /** Lets one strategy or all only bring their positions nearer to 0, until `resume`. */
  reduceOnly(strategy?: string, by?: CommandOrigin): void {
    this.#command({ command: "reduceOnly", ...ofStrategy(strategy) }, by);
  }

  /**
   * Ends the halt, the pause and the steps of the risk ladder of the bot or of one strategy. Nothing is resumed while a trigger would
   * act again at once, unless `force` counts losses anew from now on. An agent ends pauses and reduce only, nothing else.
   */
  resume(strategy?: string, force = false, by?: CommandOrigin): ResumeOutcome {
    const { guarded, lifted, remaining, stopped, holding } = this.#parts.kernel.resumeReport(
      strategy,
      force,
    );
    if (by?.isAgent === true) {
      // The kernel may not know yet of a HALT file.
      const halt = strategy === undefined ? this.#haltFile?.read() : undefined;
      const kept = guarded.length > 0 ? guarded.join("; ") : halt && `the halt (${halt})`;
      if (kept) return unresumed(`nothing was resumed, since only a person may end ${kept}`);
    }
    if (holding.length > 0 && !force) {
      return unresumed(
        `nothing was resumed, since the risk ladder would act again at once: ${holding.join("; ")}; \`touchline resume --force\` counts losses anew from now on`,
      );
    }
    if (strategy === undefined) {
      try {
        this.#haltFile?.remove();
      } catch (thrown) {
        return unresumed(
          `the bot stays as it is, since its HALT file cannot be removed: ${errorText(thrown)}`,
        );
      }
      this.#isHalted = false;
    }
    const again = force ? ({ force: true } as const) : {};
    this.#command({ command: "resume", ...ofStrategy(strategy), ...again }, by);
    return { problem: this.#problemOf(strategy, holding), lifted, remaining, stopped };
  }

  /** Each strategy's own numbers now. */
  get described(): ReadonlyMap<string, Described> {
    return this.#parts.kernel.described;
  }

  /** As of the kernel. */
  standstill(strategy?: string): "halted" | "paused" | undefined {
    return this.#parts.kernel.standstill(strategy);
  }

  /** Why the bot or the strategy may not quote after a resume; undefined when it may. */
  #problemOf(strategy: string | undefined, holding: readonly string[]): string | undefined {
    if (holding.length > 0) {
      return `losses are counted anew, but the risk ladder acts again at once: ${holding.join("; ")}`;
    }
    const standstill = this.standstill();
    if (strategy === undefined || standstill === undefined) return undefined;
    return `the whole bot is ${standstill}, so ${strategy} quotes nothing until \`touchline resume\` without --strategy`;
  }

  /**
   * Cancels every own order and places none until `resume`, also after a restart. Acts at once; resolves with a sentence when the halt
   * could not be written to disk, so that a restart would end it. The journal keeps the halt of one strategy.
   */
  async halt(reason: string, strategy?: string, by?: CommandOrigin): Promise<string | undefined> {
    if (strategy !== undefined) {
      this.#command({ command: "halt", strategy, reason }, by);
      return undefined;
    }
    this.#halt(reason, by);
    if (this.#haltFile === undefined) return undefined;
    const before = "the bot is halted, but a restart would end the halt: ";
    try {
      const isWritten = await this.#haltFile.writeSoon(reason, this.#parts.timer);
      return isWritten ? undefined : `${before}the disk does not answer`;
    } catch (thrown) {
      return `${before}${errorText(thrown)}`;
    }
  }

  #halt(reason: string, by: CommandOrigin | undefined): void {
    this.#isHalted = true;
    this.#keepNothing("it was halted");
    this.#command({ command: "halt", reason }, by);
  }

  /** Halts the bot when a HALT file is there, now and once a second. */
  #lookForHalt(): void {
    const reason = this.#isHalted ? undefined : this.#haltFile?.read();
    if (reason !== undefined) {
      this.#halt(reason, { who: "HALT file", from: this.#haltFile?.path ?? "" });
    }
    if (this.#haltFile === undefined) return;
    this.#haltTimer = this.#parts.timer.after(HALT_LOOK_MS, () => this.#lookForHalt());
  }

  /**
   * Ids of own orders that have not ended: of quotes only, or of all orders, of one strategy or of all. Includes orders that wait for the disk; all
   * orders include those that the end of the run cancels. An order that is not signed is `intent N`.
   */
  openOrders(which: "quotes" | "all", strategy?: string): readonly string[] {
    const { waitingOrders, orders } = this.#parts.driver;
    const isMeant = (of: string | undefined): boolean => strategy === undefined || of === strategy;
    const ids: string[] = [];
    for (const { type, strategy: of, orderId } of waitingOrders) {
      if (isMeant(of) && (which === "all" || type !== "stop")) ids.push(orderId);
    }
    for (const { role, orderId, intent } of orders.live(strategy)) {
      if (which === "all" || role === "quote") ids.push(orderId ?? `intent ${intent}`);
    }
    for (const orderId of which === "all" ? this.#returned : []) {
      if (isMeant(orders.strategyOf(orderId))) ids.push(orderId);
    }
    return ids;
  }

  /**
   * Lists the open orders. Cancels own ones among them that had ended, all but `inQuestion`, and lists again. The journal is closed beside the last
   * list, so that a disk that hangs takes no further time.
   */
  async #finalList(deadlineMs: number, inQuestion: readonly OrderId[]): Promise<FinalList> {
    const { clock } = this.#parts;
    const { cancelListed } = this.#aftermath;
    const byMs = Math.min(deadlineMs, this.#stopByUs / 1000) - BACKSTOP_MS;
    const leftMs = (): number => byMs - clock.monotonicUs() / 1000;
    if (cancelListed !== undefined && leftMs() > 0) {
      const list = await this.#list(deadlineMs, inQuestion);
      if (this.#returned.length === 0 || leftMs() <= 0) {
        return { ...list, named: list.left ?? [], isClosed: this.#aftermath.close() };
      }
      await cancelListed(this.#returned, leftMs());
    }
    const isClosed = this.#aftermath.close();
    const list = await this.#list(deadlineMs, inQuestion);
    return { ...list, named: list.left ?? this.#returned, isClosed };
  }

  async #list(
    deadlineMs: number,
    inQuestion: readonly OrderId[],
  ): Promise<Pick<FinalList, "open" | "left">> {
    const { orders } = this.#parts.driver;
    const open = (await this.#aftermath.openOrders(deadlineMs)) ?? null;
    // An order that the venue lists is open. One that it does not list can still arrive only while its state is unknown.
    const left = open?.filter((id) => orders.strategyOf(id) !== undefined) ?? null;
    this.#returned = left?.filter((id) => !inQuestion.includes(id)) ?? this.#returned;
    return { open, left };
  }

  async #close(end: DriverEnd): Promise<BotEnd> {
    const { clock, feed, observers, summary, driver, kernel, log } = this.#parts;
    this.#isClosing = true;
    this.#stopTimer?.cancel();
    this.#haltTimer?.cancel();
    summary.stopSignal(clock.nowMs());
    feed.stop();
    const inQuestion = await this.#aftermath.inQuestion(end, this.#lastCancelsMs);
    observers.flush();
    if (end.crash === undefined) this.#parts.readMids();
    driver.measured(summary.take());
    const deadlineMs = (this.#stoppedUs ?? clock.monotonicUs()) / 1000 + this.#stopMs;
    const { open, left, isClosed, ...list } = await this.#finalList(deadlineMs, inQuestion);
    const isKeeping = this.#keepsOrders && end.ok && this.#failure === undefined;
    // The kernel has ended well, so it knows that the venue has them.
    const keepable = isKeeping
      ? inQuestion.filter((id) => driver.orders.byId(id) !== undefined)
      : [];
    const kept = keepable.filter((id) => left?.includes(id) === true);
    // What the venue has filled or ended since is for the next start to learn.
    const named = [...new Set([...inQuestion, ...list.named])].filter(
      (id) => left === null || !keepable.includes(id),
    );
    if (observers.dropped > 0) {
      log.warn(
        { dropped: observers.dropped },
        "observers missed entries: the summary counts too little",
      );
    }
    const result = summary.result({
      durationMs: Math.round(clock.nowMs() - this.#parts.startMs),
      ordersLeft:
        left?.map((id) => ({
          strategy: driver.orders.strategyOf(id) ?? "",
          marketId: driver.orders.byId(id)?.marketId,
        })) ?? null,
      foreignOrders: open === null ? null : open.length - (left?.length ?? 0),
      signer: this.#aftermath.signerName,
      positions: kernel.positions,
      described: kernel.described,
      sources: kernel.sources,
      isDry: this.#aftermath.isDry ?? false,
      ...(this.#parts.callTimes === undefined ? {} : { calls: this.callTimes }),
    });
    // First the guards, which take a bot that waits for the disk for one that hangs.
    this.guards?.close(left !== null && named.length === 0);
    await isClosed;
    return {
      ok: end.ok && this.#failure === undefined && left !== null && named.length === 0,
      reason: this.#failure ?? end.reason,
      code: end.code,
      summary: result,
      inQuestion: named,
      kept,
    };
  }
}

/** The newest list of the account's open orders. */
interface FinalList {
  /** All of them, and own ones among them; null when the venue did not answer. */
  readonly open: readonly OrderId[] | null;
  readonly left: readonly OrderId[] | null;
  /** Own orders that the newest list shows, or the one before where the newest has no answer. */
  readonly named: readonly OrderId[];
  /** The journal is closed. */
  readonly isClosed: Promise<void>;
}

function unresumed(problem: string): ResumeOutcome {
  return { problem, lifted: [], remaining: [], stopped: [] };
}

function ofStrategy(strategy: string | undefined): { readonly strategy?: string } {
  return strategy === undefined ? {} : { strategy };
}
