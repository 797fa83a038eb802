import { defineFault } from "../fault-kind.ts";

export const duplicate = defineFault({
  name: "duplicate",
  summary:
    "Messages are sent twice; a request is served twice, as a proxy that tries again does, and the second answer is given.",
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
