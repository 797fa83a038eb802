import type { DepthEvent } from "../domain/depth.ts";

/** How the ids of a depth event relate to the event before it. */
export type ChainLink =
  | { readonly type: "next" }
  | { readonly type: "duplicate" }
  | { readonly type: "gap"; readonly fromId: number; readonly toId: number };

const next: ChainLink = { type: "next" };
const duplicate: ChainLink = { type: "duplicate" };

/** Follows the update ids of a market's depth events (§6.3.5) to find missing and repeated events. */
export class DepthChain {
  #last: number | undefined;
  #bookId: number | undefined;
  #isInterrupted = false;

  /** Call when the stream was lost: the ids may restart afterwards, for instance in a merged recording. */
  interrupted(): void {
    this.#isInterrupted = true;
  }

  /** Takes a snapshot. Before the first depth event it determines the id to continue from. */
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
    // The first event may straddle its snapshot (§6.3.4) or precede it.
    if (last === undefined || firstId === last + 1 || (isFirst && firstId <= last)) return next;
    return { type: "gap", fromId: last + 1, toId: firstId - 1 };
  }
}
