import { defineFault } from "../fault-kind.ts";

export const duplicate = defineFault({
  name: "duplicate",
  summary:
    "Messages are sent twice; a request is served twice, as by a proxy that retries, and gets the second response.",
  options: {},
  async request({ serve }) {
    await serve();
    return serve();
  },
  message({ send }) {
    send();
    send();
  },
});
