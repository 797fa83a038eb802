import { duration } from "../../../domain/setting.ts";
import { defineFault } from "../fault-kind.ts";

export const reorder = defineFault({
  name: "reorder",
  summary:
    "A message swaps places with the next one of its connection, a request with the next request; without a next one it waits for `limit`.",
  options: { limit: duration({ max: 60_000 }).default(500) },
  async request({ nextServed, serve }, { limit }) {
    await nextServed(limit);
    return serve();
  },
  message({ sendAfterNext }, { limit }) {
    sendAfterNext(limit);
  },
});
