import { duration } from "../../../domain/setting.ts";
import { cutConnection, defineFault } from "../fault-kind.ts";

export const timeoutAfter = defineFault({
  name: "timeout-after",
  summary:
    "A request is served but gets no response; its connection breaks after `cut` if the client still waits.",
  options: { cut: duration({ max: 600_000 }).default(60_000) },
  async request({ serve, wait }, { cut }) {
    await serve();
    await wait(cut);
    return cutConnection;
  },
});
