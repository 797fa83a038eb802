import { z } from "zod";
import { defineFault } from "../fault-kind.ts";

export const withdrawalL1 = defineFault({
  name: "withdrawal-l1",
  summary:
    "The layer-1 phase of a withdrawal fails, which a retry mends, or (`outcome: executed-elsewhere`) somebody else has executed it.",
  options: { outcome: z.literal(["failed", "executed-elsewhere"]).default("failed") },
  layer1: ({ outcome }) => outcome,
});
