import { defineRule } from "../rule.ts";

/** Nothing is placed on a book that is not in sync (§6.3). */
export const liveBook = defineRule({
  name: "live-book",
  check(_proposal, { isBookLive }) {
    if (isBookLive) return undefined;
    return { rule: "live-book", limit: "in sync", actual: "not in sync" };
  },
});
