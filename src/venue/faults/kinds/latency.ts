import { duration } from "../../../domain/setting.ts";
import { defineFault } from "../fault-kind.ts";

export const latency = defineFault({
  name: "latency",
  summary:
    "Requests are served and messages are sent late, by `delay` plus up to `jitter`; messages of a connection keep their order.",
  options: {
    delay: duration({ max: 60_000 }).default(200),
    jitter: duration({ max: 60_000 }).default(0),
  },
  async request({ random, serve, wait }, { delay, jitter }) {
    await wait(delay + jitter * random.unit());
    return serve();
  },
  message({ random, sendLater }, { delay, jitter }) {
    sendLater(delay + jitter * random.unit());
  },
});
