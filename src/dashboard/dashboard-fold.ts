import type { Market } from "../domain/market.ts";
import type { Batch } from "../kernel/input.ts";
import type { Note } from "../kernel/note.ts";
import { DeskFold } from "./desk-fold.ts";
import type { DashboardSnapshot } from "./snapshot.ts";

const MAX_WARNINGS = 20;

/** What happened in one step, as observers are told. */
export interface Observed {
  readonly batch: Batch;
  readonly notes: readonly Note[];
}

/** Folds the observer stream into what the page shows. Reads only; knows nothing of the kernel's own state. */
export class DashboardFold {
  readonly #desks: readonly DeskFold[];
  readonly #warnings: { timeMs: number; text: string }[] = [];
  #nowMs = 0;

  constructor(desks: readonly { readonly strategy: string; readonly market: Market }[]) {
    this.#desks = desks.map(({ strategy, market }) => new DeskFold(strategy, market));
  }

  observe({ batch, notes }: Observed): void {
    this.#nowMs = batch.nowMs;
    for (const desk of this.#desks) {
      for (const input of batch.inputs) desk.input(input);
      for (const note of notes) desk.note(note, batch.nowMs);
      desk.tick(batch.nowMs);
    }
    for (const note of notes) {
      if (note.type === "warning") this.#warn(note.message);
      else if (note.type === "strategyFault") this.#warn(`${note.strategy}: ${note.message}`);
    }
  }

  /** `latency` and `missed` come from the driver. The histories hold the points after `historySinceMs` only. */
  snapshot(
    driver: Pick<DashboardSnapshot, "latency" | "missed">,
    historySinceMs: number,
  ): DashboardSnapshot {
    return {
      nowMs: this.#nowMs,
      desks: this.#desks.map((desk) => desk.snapshot(this.#nowMs, historySinceMs)),
      warnings: this.#warnings,
      ...driver,
    };
  }

  #warn(text: string): void {
    this.#warnings.push({ timeMs: this.#nowMs, text });
    if (this.#warnings.length > MAX_WARNINGS) this.#warnings.shift();
  }
}
