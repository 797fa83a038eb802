import { z } from "zod";
import { defineFault } from "../fault-kind.ts";

export const withdrawalL1 = defineFault({
  name: "withdrawal-l1",
  summary:
    "The layer-1 phase of a withdrawal fails until it is retried, or (`outcome: executed-elsewhere`) another party has executed it.",
  options: { outcome: z.literal(["failed", "executed-elsewhere"]).default("failed") },
  layer1: ({ outcome }) => outcome,
});
