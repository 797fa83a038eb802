import { defineFault } from "../fault-kind.ts";

export const halfOpen = defineFault({
  name: "half-open",
  summary:
    "The message's stream connection goes silent in both directions, pongs included, without being closed.",
  options: {},
  message({ freeze }) {
    freeze();
  },
});
