import { defineFault } from "../fault-kind.ts";

export const halfOpen = defineFault({
  name: "half-open",
  summary:
    "The stream connection that the message was for goes silent: nothing arrives any more either way, pongs neither, and nobody is told.",
  options: {},
  message({ freeze }) {
    freeze();
  },
});
