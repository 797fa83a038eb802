import type { FlatLevels } from "../domain/depth.ts";
import { fixedToNumber } from "../domain/fixed.ts";
import type { DepthLevel } from "./records.ts";

/** Changes are allocated in arrays of this length, since an array outside the heap is expensive to make. */
const SLAB = 16_384;
const noLevels: FlatLevels = new Float64Array();

/** The level changes of the open block, as its listeners get them. */
export class LevelChanges {
  /** The open block's changes begin at `#from`; those before it belong to earlier events. */
  #changes = new Float64Array(SLAB);
  #from = 0;
  #to = 0;
  /** The event that is being applied, while all of it are changes as they are. */
  #event: FlatLevels | undefined;

  /** An event is applied; undefined for one that is not alone in changing the block. */
  begin(event: FlatLevels | undefined): void {
    this.#event = event;
  }

  /** The block changes a level otherwise than the event says. */
  differs(): void {
    this.#event = undefined;
  }

  note(price: number, quantity: number): void {
    if (this.#to === this.#changes.length) this.#renew();
    this.#changes[this.#to] = price;
    this.#changes[this.#to + 1] = quantity;
    this.#to += 2;
  }

  /** Returns the changes with these after them, and forgets them. */
  take(more: readonly DepthLevel[]): FlatLevels {
    const event = more.length === 0 ? this.#event : undefined;
    this.#event = undefined;
    for (const { price, quantity } of more) this.note(price, fixedToNumber(quantity));
    if (this.#to === this.#from) return noLevels;
    // Levels of an event that were as it says already do no harm.
    if (event !== undefined) {
      this.#to = this.#from;
      return event;
    }
    const changes = this.#changes.subarray(this.#from, this.#to);
    this.#from = this.#to;
    return changes;
  }

  #renew(): void {
    const open = this.#changes.subarray(this.#from, this.#to);
    this.#changes = new Float64Array(Math.max(SLAB, 2 * open.length));
    this.#changes.set(open);
    this.#from = 0;
    this.#to = open.length;
  }
}
