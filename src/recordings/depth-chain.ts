import type { DepthEvent } from "../domain/depth.ts";

/** What the ids of a depth event say about the one before it. */
export type ChainLink =
  | { readonly type: "next" }
  | { readonly type: "duplicate" }
  | { readonly type: "gap"; readonly fromId: number; readonly toId: number };

const next: ChainLink = { type: "next" };
const duplicate: ChainLink = { type: "duplicate" };

/** Follows the update ids of a market's depth events (§6.3.5): what is missing or repeated in the recording itself. */
export class DepthChain {
  #last: number | undefined;
  #bookId: number | undefined;
  #isInterrupted = false;

  /** What follows may be numbered anew, as another recording of the same market is. */
  interrupted(): void {
    this.#isInterrupted = true;
  }

  /** Before the first event a snapshot says where the ids should go on. */
  takeBook(lastId: number): void {
    if (this.#isInterrupted && lastId < (this.#last ?? 0)) {
      this.#last = undefined;
      this.#bookId = undefined;
    }
    this.#isInterrupted = false;
    this.#bookId = Math.max(this.#bookId ?? lastId, lastId);
  }

  take(event: Pick<DepthEvent, "firstId" | "finalId">): ChainLink {
    const { firstId, finalId } = event;
    const last = this.#last ?? this.#bookId;
    const isFirst = this.#last === undefined;
    if (!isFirst && last !== undefined && finalId <= last) return duplicate;
    this.#last = finalId;
    // The first event may straddle its snapshot (§6.3.4), or lie before it.
    if (last === undefined || firstId === last + 1 || (isFirst && firstId <= last)) return next;
    return { type: "gap", fromId: last + 1, toId: firstId - 1 };
  }
}
