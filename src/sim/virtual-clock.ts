import { assert } from "../base/assert.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { Clock, Timer, TimerHandle } from "../ports/clock.ts";

interface Event {
  readonly atUs: number;
  /** Order of scheduling; breaks ties between events at the same time. */
  readonly seq: number;
  run: (() => void) | undefined;
}

/**
 * Virtual time, which advances only when nothing is left to do. Events run one by one in the order of time, each followed by all
 * promises that it settles. The same schedule gives the same run, thousands of times faster than a real clock.
 */
export class VirtualClock implements Clock, Timer {
  #startMs: number;
  #nowUs = 0;
  #seq = 0;
  readonly #heap: Event[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.#startMs = startMs;
  }

  nowMs(): UnixMs {
    return unixMs(Math.floor(this.#startMs + this.#nowUs / 1000));
  }

  monotonicUs(): number {
    return this.#nowUs;
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#nowUs / 1000;
  }

  after(delayMs: number, run: () => void): TimerHandle {
    assert(delayMs >= 0, "a delay of 0 or more");
    const event: Event = { atUs: this.#nowUs + delayMs * 1000, seq: (this.#seq += 1), run };
    this.#push(event);
    return {
      cancel: () => {
        event.run = undefined;
      },
    };
  }

  /** Lets wall clocks advance without running events, as if all machines slept: timers are late by `ms`. */
  sleep(ms: number): void {
    this.#startMs += ms;
  }

  soon(run: () => void): TimerHandle {
    return this.after(0, run);
  }

  /** Advances by `ms` milliseconds. Rejects with what an event throws. */
  async runFor(ms: number): Promise<void> {
    const endUs = this.#nowUs + ms * 1000;
    await eachTurn(() => this.#runNext(endUs));
    this.#nowUs = endUs;
  }

  /** Advances until `condition` holds, by at most `limitMs`; resolves with whether it holds. */
  async runUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
    const endUs = this.#nowUs + limitMs * 1000;
    let holds = false;
    await eachTurn(() => {
      holds = condition();
      if (holds) return false;
      if (this.#runNext(endUs)) return true;
      this.#nowUs = endUs;
      holds = condition();
      return false;
    });
    return holds;
  }

  /** Runs the next event that was not canceled; false when there is none until `endUs`. */
  #runNext(endUs: number): boolean {
    while (this.#heap[0] !== undefined && this.#heap[0].run === undefined) this.#pop();
    const [next] = this.#heap;
    if (next?.run === undefined || next.atUs > endUs) return false;
    this.#pop();
    this.#nowUs = next.atUs;
    next.run();
    return true;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[at] = parent;
      heap[parentAt] = event;
      at = parentAt;
    }
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    heap[0] = last;
    for (;;) {
      let childAt = 2 * at + 1;
      const left = heap[childAt];
      const right = heap[childAt + 1];
      if (left === undefined) break;
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (child === right) childAt += 1;
      if (isBefore(last, child)) break;
      heap[at] = child;
      heap[childAt] = last;
      at = childAt;
    }
    return first;
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.atUs < right.atUs || (left.atUs === right.atUs && left.seq < right.seq);
}

/** A turn of the real event loop asks the system for I/O, which costs as much as a small event. So one turn runs this many. */
const EVENTS_PER_TURN = 64;

/** Calls `next` until it returns false. All promises that can continue do so before each call. Rejects with what `next` throws. */
function eachTurn(next: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const run = (): void => {
      if (isOver) return;
      try {
        if (next()) return;
        resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      isOver = true;
    };
    const turn = (): void => {
      if (isOver) return;
      // Node lets promises continue after each callback of a turn.
      for (let at = 0; at < EVENTS_PER_TURN; at += 1) setImmediate(run);
      setImmediate(turn);
    };
    turn();
  });
}
