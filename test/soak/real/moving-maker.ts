import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { defineStrategy, keepQuotes, setQuotes, z } from "touchline";

/**
 * A market maker for the soak: it follows the mid without any tolerance, so that its orders never rest for long. It writes down what it is
 * shown, which a strategy of a user must not do, and may be told never to return.
 */
/** Distances of the quotes in steps of `spread`; the last one is too far away to be filled within minutes. */
const LEVELS = [1, 2, 3, 100];
const EVERY_MS = 100;

export default defineStrategy({
  name: "moving-maker",
  params: z.strictObject({
    size: z.string(),
    /** Distance of a level from the one before it, as a share of the mid. */
    spread: z.number(),
    /** Receives one JSON line for each look at the account. */
    report: z.string(),
    /** While this file exists, the next call does not return. It gets the time of that call. */
    blockFile: z.string(),
    /** `loop` uses the processor, `sleep` does not. */
    block: z.enum(["loop", "sleep"]),
  }),
  init: () => ({ nextMs: 0 }),
  decide({ view, params, state }) {
    const { nowMs, book } = view;
    if (nowMs < state.nextMs) return keepQuotes({ wakeAtMs: state.nextMs });
    state.nextMs = nowMs + EVERY_MS;
    const total = (token: "base" | "quote") => view.balance(token)?.total.toFixed() ?? null;
    appendFileSync(
      params.report,
      `${JSON.stringify({ nowMs, position: view.position.base.toFixed(), base: total("base"), quote: total("quote") })}\n`,
    );
    if (existsSync(params.blockFile)) {
      writeFileSync(params.blockFile, String(Date.now()));
      if (params.block === "sleep") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      for (;;);
    }
    const { mid } = book;
    if (mid === undefined) return keepQuotes({ wakeAtMs: state.nextMs });
    const quotes = (direction: 1 | -1) =>
      LEVELS.map((level) => ({
        price: mid * (1 + direction * level * params.spread),
        size: params.size,
      }));
    return setQuotes({ bids: quotes(-1), asks: quotes(1), wakeAtMs: state.nextMs });
  },
});
