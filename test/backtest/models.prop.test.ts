import { expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { ReplayRecorder } from "../../src/backtest/replay-recorder.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import {
  addFixed,
  fixed,
  fixedText,
  mulFixed,
  subFixed,
  ZERO,
  type Fixed,
} from "../../src/domain/fixed.ts";
import type { Fill } from "../../src/domain/order.ts";
import { defaultFills, queueNames } from "../../src/simulated/queue-models.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { type ModelSettings, venueModels } from "../../src/simulated/venue-models.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { ETH, USDT } from "../support/exchange.ts";
import { keccak256, owner, play, setupOf } from "./hand-made.ts";
import { recordingOf } from "./random-recording.ts";

const START = { base: fixed("100"), quote: fixed("100000") };

const models: readonly ModelSettings[] = queueNames.flatMap((queue, at) =>
  [true, false].map((partialFills) => ({
    fills: { ...defaultFills, queue, partialFills },
    latency:
      at % 2 === 0
        ? constantDelays({ entry: 5, response: 5, feed: 5 })
        : {
            entry: { type: "lognormal", mean: 8, deviation: 6 },
            response: { type: "exponential", mean: 8, min: 1 },
            feed: { type: "uniform", min: 0, max: 9 },
            seed: at,
          },
    fees: {
      ...marketFees,
      maker: at % 2 === 0 ? -0.0001 : undefined,
      tiers: [{ volume: fixed("30000"), maker: 0.00005, taker: 0.0003 }],
    },
  })),
);

/** Two bids and two asks around the mid at any time, some of which cross the touch when they arrive. */
function setupWith(settings: ModelSettings) {
  const setup = setupOf((view) => {
    const { mid } = view.book;
    if (mid === undefined) return setQuotes({});
    return setQuotes({
      bids: [
        { price: mid - 0.05, size: "0.7" },
        { price: mid - 0.3, size: "1.3" },
      ],
      asks: [
        { price: mid + 0.05, size: "0.7" },
        { price: mid + 0.3, size: "1.3" },
      ],
    });
  });
  return { ...setup, models: venueModels(settings, "recording") };
}

function run(settings: ModelSettings, steps: readonly RecordedStep[]) {
  const setup = setupWith(settings);
  const recorder = new ReplayRecorder(setup, keccak256);
  const fills: Fill[] = [];
  const { end } = play(
    setup,
    steps,
    {},
    {
      recorded: (step, isWarmUp) => recorder.recorded(step, isWarmUp),
      block: (block, orders, mid) => {
        recorder.block(block, orders, mid);
        for (const { fill } of block.orderEvents) if (fill !== undefined) fills.push(fill);
      },
      decided: (command, txHash, nowMs) => recorder.decided(command, txHash, nowMs),
      stepped: (step) => recorder.stepped(step),
    },
  );
  return { end, fills, result: recorder.result(end, 1_000) };
}

test.each(
  models.map((settings) => [settings.fills.queue, settings.fills.partialFills, settings] as const),
)(
  "%s, partial fills %s: every token is conserved, and the PnL is exact",
  (_, partialFills, settings) => {
    const steps = recordingOf(new Prng(partialFills ? 1 : 2));
    const { end, fills, result } = run(settings, steps);
    expect(fills.length).toBeGreaterThan(20);
    for (const { held, deposited } of end.exchange.ledger.audit().values()) {
      expect(held).toBe(deposited);
    }
    // The balances are what the fills moved, to the last digit.
    expect(heldOf(end.exchange, ETH)).toBe(fixedText(addFixed(START.base, movedBy(fills, "base"))));
    expect(heldOf(end.exchange, USDT)).toBe(
      fixedText(addFixed(START.quote, movedBy(fills, "quote"))),
    );
    const { pnl, inventory } = result;
    if (pnl === null) throw new Error("a PnL");
    expect(inventory).toEqual({
      "1": fixedText(movedBy(fills, "base")),
      "2": fixedText(movedBy(fills, "quote")),
    });
    const parts = [pnl.spread, pnl.inventory, pnl.fees].map(fixed);
    expect(fixedText(parts.reduce(addFixed, ZERO))).toBe(pnl.total);
    if (settings.latency.entry.type === "constant") return;
    // Random delays are the same again.
    expect(run(settings, steps).result.decisionsHash).toBe(result.decisionsHash);
  },
);

/** What fills added to the account's balance of a token, less fees. */
function movedBy(fills: readonly Fill[], token: "base" | "quote"): Fixed {
  return fills.reduce((sum, { side, price, quantity, fee }) => {
    const received = (side === "BUY") === (token === "base");
    const amount = token === "base" ? quantity : mulFixed(price, quantity);
    return addFixed(sum, received ? subFixed(amount, fee) : subFixed(ZERO, amount));
  }, ZERO);
}

function heldOf(exchange: ReturnType<typeof run>["end"]["exchange"], token: typeof ETH): string {
  const balance = exchange.balances(owner).find(({ tokenId }) => tokenId === token);
  if (balance === undefined) throw new Error("a balance");
  return fixedText(addFixed(balance.locked, balance.unlocked));
}
