import { z } from "zod";
import { parseDurationMs } from "../../../domain/setting.ts";
import { defineFault } from "../fault-kind.ts";

const form = "is not a duration that may be negative, write 90s or -90s";

export const clockSkew = defineFault({
  name: "clock-skew",
  summary:
    "The venue's clock is ahead by `skew`, or behind with a minus sign. It never goes back: it stands still until the time has caught up.",
  options: {
    skew: z.string({ error: form }).transform((text, context) => {
      const durationMs = parseDurationMs(text.replace(/^-/, ""));
      if (durationMs !== undefined) return text.startsWith("-") ? -durationMs : durationMs;
      context.addIssue({ code: "custom", message: form });
      return z.NEVER;
    }),
  },
  skewMs: ({ skew }) => skew,
});
