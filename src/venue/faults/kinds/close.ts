import { defineFault } from "../fault-kind.ts";

export const close = defineFault({
  name: "close",
  summary: "The message's stream connection is closed (code 1001) instead.",
  options: {},
  message(message) {
    message.close(1001, "a fault of the schedule");
  },
});
