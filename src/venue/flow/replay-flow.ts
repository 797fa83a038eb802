import type { Clock, Timer, TimerHandle } from "../../ports/clock.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Flow } from "./flow.ts";
import type { RecordedMarket } from "./recorded-market.ts";
import { type TwoWayStep, twoWaySteps } from "./two-way-recording.ts";

/** Most steps played in one turn of the event loop, so that a burst does not delay requests. */
const STEPS_PER_TURN = 256;
/** A lag above this, as after a machine's sleep, is skipped instead of being caught up with. */
const LAG_MAX_MS = 5000;

/** A step of one market's recording; all markets' steps are sorted by time. */
interface TimedStep {
  readonly marketId: MarketId;
  readonly step: TwoWayStep;
  readonly offsetMs: number;
}

/**
 * Plays recorded markets into the exchange (D35), alternating between forwards and backwards (with the sides of trades swapped), so
 * that the price never jumps. All markets share the recording's clock.
 */
export class ReplayFlow implements Flow {
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #speed: number;
  readonly #steps: readonly TimedStep[];
  readonly #lengthMs: number;
  #next = 0;
  #direction: 1 | -1 = 1;
  /** Venue time at which offset 0 of this direction is due. */
  #startedMs: number;
  #pending: TimerHandle | undefined;

  constructor(
    exchange: Exchange,
    recorded: readonly RecordedMarket[],
    speed: number,
    ports: { readonly clock: Clock; readonly timer: Timer },
  ) {
    this.#exchange = exchange;
    this.#clock = ports.clock;
    this.#timer = ports.timer;
    this.#speed = speed;
    this.#steps = stepsOf(recorded);
    this.#lengthMs = this.#steps.at(-1)?.offsetMs ?? 0;
    this.#startedMs = this.#clock.nowMs();
    this.#play();
  }

  stop(): void {
    this.#pending?.cancel();
  }

  #play(): void {
    const nowMs = this.#clock.nowMs();
    for (let played = 0; ; played += 1) {
      const timed = this.#steps[this.#next];
      if (timed === undefined) {
        if (this.#steps.length === 0) return;
        this.#turnAround();
        continue;
      }
      const dueMs = this.#dueMs(timed);
      if (dueMs > nowMs) {
        this.#pending = this.#timer.after(dueMs - nowMs, () => this.#play());
        return;
      }
      if (nowMs - dueMs > LAG_MAX_MS) this.#startedMs += nowMs - dueMs;
      if (played >= STEPS_PER_TURN) {
        this.#pending = this.#timer.soon(() => this.#play());
        return;
      }
      this.#playStep(timed, nowMs);
      this.#next += this.#direction;
    }
  }

  #dueMs(timed: TimedStep): number {
    const offsetMs = this.#direction === 1 ? timed.offsetMs : this.#lengthMs - timed.offsetMs;
    return this.#startedMs + offsetMs / this.#speed;
  }

  #turnAround(): void {
    // Each direction takes at least a moment, so that a recording without duration does not loop without pause.
    this.#startedMs += Math.max(this.#lengthMs, 1) / this.#speed;
    this.#direction = this.#direction === 1 ? -1 : 1;
    this.#next = this.#direction === 1 ? 0 : this.#steps.length - 1;
  }

  #playStep({ marketId, step }: TimedStep, nowMs: ReturnType<Clock["nowMs"]>): void {
    const forwards = this.#direction === 1;
    if (step.type === "trade") {
      const isBuyerMaker = forwards ? step.isBuyerMaker : !step.isBuyerMaker;
      const { price, quantity } = step;
      this.#exchange.flowTrade(marketId, { price, quantity, isBuyerMaker }, nowMs);
    } else if (forwards) {
      this.#exchange.flowDepth(marketId, step.bids, step.asks, nowMs);
    } else {
      this.#exchange.flowDepth(marketId, step.bidsBefore, step.asksBefore, nowMs);
    }
  }
}

function stepsOf(recorded: readonly RecordedMarket[]): TimedStep[] {
  const startMs = Math.min(
    ...recorded.map((market) => market.events[0]?.atMs ?? Number.POSITIVE_INFINITY),
  );
  const steps: TimedStep[] = [];
  for (const { marketId, events } of recorded) {
    const lateMs = (events[0]?.atMs ?? startMs) - startMs;
    for (const step of twoWaySteps(events)) {
      steps.push({ marketId, step, offsetMs: step.offsetMs + lateMs });
    }
  }
  // Sorting is stable: steps of one market at the same time keep their order.
  return steps.sort((left, right) => left.offsetMs - right.offsetMs);
}
