import { expect, test } from "vitest";
import { unixMs } from "../../src/domain/time.ts";
import type { Input } from "../../src/kernel/input.ts";
import { beginningWithBooks } from "../../src/parity/beginning-with-books.ts";
import { liveRun } from "../../src/parity/live-run.ts";
import { marketSteps } from "../../src/parity/market-steps.ts";
import { keepQuotes } from "../../src/strategy/contract.ts";
import { book, depth, setupOf } from "../backtest/hand-made.ts";
import { ETH_USDT, NOW } from "../support/exchange.ts";
import { recordedRun } from "./recorded-at.ts";

test("the end of a run begins with the whole book that an audit shows, also of levels that never changed since", () => {
  const steps = [
    book(0, [100, 1], [101, 1]),
    depth(1_000, [99, 2], []),
    depth(2_000, [98, 3], []),
    depth(3_000, [], [102, 4]),
  ];
  const { header, batches } = recordedRun(
    setupOf(() => keepQuotes()),
    steps,
  );
  const whole = { bids: Float64Array.of(100, 1, 99, 2, 98, 3), asks: Float64Array.of(101, 1) };
  const audit: Input = {
    type: "depthAudit",
    snapshot: { marketId: ETH_USDT, timeMs: unixMs(NOW + 2_000), lastId: 2_000, ...whole },
  };
  const end = batches
    .filter(({ batch }) => batch.nowMs > NOW + 2_500)
    .map((entry, at) => {
      const { batch } = entry;
      return at > 0 ? entry : { ...entry, batch: { ...batch, inputs: [audit, ...batch.inputs] } };
    });
  const [first] = marketSteps(liveRun(header, beginningWithBooks(end))).steps;
  expect(first?.event).toMatchObject({ type: "book", snapshot: whole });
});
