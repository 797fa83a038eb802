import type { ObservedEntry } from "../runtime/observers.ts";

/** What occurred in a simulated world: counts of events, and the longest time of each kind of waiting, in ms. */
export class Coverage {
  readonly reached = new Map<string, number>();
  readonly longestMs = new Map<string, number>();

  reach(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  lasted(what: string, ms: number): void {
    if (ms > (this.longestMs.get(what) ?? 0)) this.longestMs.set(what, ms);
  }

  /** Counts what a step received and did. Orders and fills are counted by the oracle of their market. */
  entry({ batch, effects, notes }: ObservedEntry): void {
    for (const input of batch.inputs) {
      if (input.type === "response") this.reach(`response ${input.outcome.type}`);
      else if (input.type === "stream" && (input.state === "opened" || input.state === "closed")) {
        this.reach(`stream ${input.state}`);
      }
    }
    for (const { type } of effects) this.reach(`effect ${type}`);
    for (const note of notes) {
      if (note.type === "warning") this.reach(`warning ${note.code}`);
      else if (note.type === "risk") this.reach(`risk ${note.step}`);
      else if (note.type === "balanceDrift") this.reach(`balances ${note.code}`);
      else if (note.type === "limit") this.reach(`limit ${note.code}`);
      else if (note.type === "denied") this.reach(`denied ${note.reason.rule}`);
    }
  }
}
