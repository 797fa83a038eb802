import { z } from "zod";
import { defineStrategy, setQuotes } from "../../src/strategy/contract.ts";

/** Wants one purchase for ever, so only the life of its name keeps it from buying twice. */
export default defineStrategy({
  name: "one-take",
  params: z.strictObject({}),
  init: () => ({}),
  decide: () =>
    setQuotes({ takes: [{ name: "hedge", side: "BUY", size: "0.5", maxSlippage: 0.01 }] }),
});
