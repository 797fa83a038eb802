import { PerformanceObserver } from "node:perf_hooks";

/** A time in which the event loop took no timer, and what the thread did meanwhile. */
export interface Hold {
  readonly wallMs: number;
  /** Processor time of this thread in its own code and in the kernel. The rest of the wall time it waited, mostly for other programs. */
  readonly userMs: number;
  readonly kernelMs: number;
  /** Wall time of collecting garbage. */
  readonly garbageMs: number;
}

export function busyMs({ userMs, kernelMs }: Pick<Hold, "userMs" | "kernelMs">): number {
  return userMs + kernelMs;
}

interface Span extends Omit<Hold, "garbageMs"> {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Finds the longest times in which the event loop was held, and takes them apart. */
export class LoopHolds {
  readonly #spans: Span[] = [];
  readonly #collected: { readonly fromMs: number; readonly toMs: number }[] = [];
  #atMs = performance.now();
  #cpu = process.threadCpuUsage();

  constructor() {
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        this.#collected.push({ fromMs: startTime, toMs: startTime + duration });
      }
    }).observe({ entryTypes: ["gc"] });
    setInterval(() => this.#tick(), 1).unref();
  }

  /** Since the last call: the longest by the wall, and the one with the most processor time, which other programs do not lengthen. */
  take(): { readonly longest: Hold; readonly busiest: Hold } {
    let longest = this.#tick();
    let busiest = longest;
    for (const span of this.#spans) {
      if (span.wallMs > longest.wallMs) longest = span;
      if (busyMs(span) > busyMs(busiest)) busiest = span;
    }
    const taken = { longest: this.#holdOf(longest), busiest: this.#holdOf(busiest) };
    this.#spans.length = 0;
    this.#collected.length = 0;
    return taken;
  }

  #holdOf({ fromMs, toMs, wallMs, userMs, kernelMs }: Span): Hold {
    let garbageMs = 0;
    for (const { fromMs: from, toMs: to } of this.#collected) {
      garbageMs += Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs));
    }
    return { wallMs, userMs, kernelMs, garbageMs };
  }

  #tick(): Span {
    const nowMs = performance.now();
    const used = process.threadCpuUsage(this.#cpu);
    const span: Span = {
      fromMs: this.#atMs,
      toMs: nowMs,
      wallMs: nowMs - this.#atMs,
      userMs: used.user / 1000,
      kernelMs: used.system / 1000,
    };
    if (span.wallMs > 2) this.#spans.push(span);
    this.#atMs = nowMs;
    this.#cpu = process.threadCpuUsage();
    return span;
  }
}
