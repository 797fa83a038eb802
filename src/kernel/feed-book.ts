import type { BookSync } from "../book/book-sync.ts";
import type { Input } from "./input.ts";

/** Takes what an input says of the book's market. */
export function feedBook(sync: BookSync, input: Input): void {
  if (input.type === "stream" && (input.state === "opened" || input.state === "closed")) {
    sync.onStream(input.state);
  } else if (input.type === "depth" && input.event.marketId === sync.marketId) {
    sync.onDepth(input.event);
  } else if (input.type === "book" && input.snapshot.marketId === sync.marketId) {
    sync.onSnapshot(input.snapshot);
  }
}
