import { duration } from "../../../domain/setting.ts";
import { cutConnection, defineFault } from "../fault-kind.ts";

export const timeoutBefore = defineFault({
  name: "timeout-before",
  summary:
    "A request is neither served nor gets a response; its connection breaks after `cut` if the client still waits.",
  options: { cut: duration({ max: 600_000 }).default(60_000) },
  async request({ wait }, { cut }) {
    await wait(cut);
    return cutConnection;
  },
});
