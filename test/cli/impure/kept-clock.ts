// A strategy that keeps the clock's function before any replay begins.
import { defineStrategy, keepQuotes, z } from "touchline";

const { now } = Date;

export default defineStrategy({
  name: "kept-clock",
  params: z.strictObject({}),
  init: () => ({}),
  decide() {
    now();
    return keepQuotes();
  },
});
