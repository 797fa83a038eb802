import { expect, test } from "vitest";
import { bookState } from "../../web/src/book-state.ts";

const bids = [[99, 1, 0]] as const;
const asks = [[101, 1, 0]] as const;
const none = { state: "live", bids: [], asks: [], mid: null, spread: null } as const;

test("beside the mid stands the spread, or why there is none", () => {
  expect(bookState({ ...none, bids, asks, mid: 100, spread: 2 })).toBe("spread 200.0 bps");
  expect(bookState(none)).toBe("the book is empty");
  expect(bookState({ ...none, asks })).toBe("no bids");
  expect(bookState({ ...none, bids })).toBe("no asks");
  expect(bookState({ ...none, state: "syncing" })).toBe("not in sync");
});
