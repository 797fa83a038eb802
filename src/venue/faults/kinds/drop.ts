import { cutConnection, defineFault } from "../fault-kind.ts";

export const drop = defineFault({
  name: "drop",
  summary:
    "Messages are not sent, as if lost on the way; a request is not served and its connection breaks without a response.",
  options: {},
  request: async () => cutConnection,
  message: () => undefined,
});
