import { PerformanceObserver } from "node:perf_hooks";

/** A time in which the event loop took no timer, and what the thread did meanwhile. */
export interface Hold {
  readonly wallMs: number;
  /** Processor time of this thread in its own code and in the kernel; what is missing to the wall time went to other programs. */
  readonly userMs: number;
  readonly kernelMs: number;
  /** Wall time of collecting garbage. */
  readonly garbageMs: number;
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

  /** The longest since the last call. */
  take(): Hold {
    let [longest] = this.#spans;
    for (const span of this.#spans) {
      if (longest === undefined || span.wallMs > longest.wallMs) longest = span;
    }
    const { fromMs, toMs, wallMs, userMs, kernelMs } = longest ?? this.#tick();
    let garbageMs = 0;
    for (const { fromMs: from, toMs: to } of this.#collected) {
      garbageMs += Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs));
    }
    this.#spans.length = 0;
    this.#collected.length = 0;
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
    if (span.wallMs > 5) this.#spans.push(span);
    this.#atMs = nowMs;
    this.#cpu = process.threadCpuUsage();
    return span;
  }
}
