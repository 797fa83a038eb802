import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import type { RecordedStep } from "../../src/backtest/recorded-step.ts";
import type { Command } from "../../src/domain/command.ts";
import { fixed, fixedText } from "../../src/domain/fixed.ts";
import { unixMs, type UnixMs } from "../../src/domain/time.ts";
import type { Block } from "../../src/exchange/records.ts";
import { RealTimeVenue } from "../../src/runtime/real-time-venue.ts";
import { marketFees } from "../../src/simulated/fee-model.ts";
import { constantDelays } from "../../src/simulated/latency-model.ts";
import { defaultFills, queueNames } from "../../src/simulated/queue-models.ts";
import { SimulatedVenue } from "../../src/simulated/simulated-venue.ts";
import { type ModelSettings, venueModels } from "../../src/simulated/venue-models.ts";
import { book, depth, market, owner } from "../backtest/hand-made.ts";
import { recordingOf } from "../backtest/random-recording.ts";
import { ETH_USDT, funds, NOW, testHash } from "../support/exchange.ts";

/** What the bot sends, `at` milliseconds after NOW. */
interface Sent {
  readonly at: number;
  readonly command: Command;
}

/** A venue that the same market and the same bot move. */
interface Driven {
  /** Lets time pass; what is due at `atMs` itself waits. */
  pass(atMs: UnixMs): void;
  play(step: RecordedStep): void;
  send(command: Command): void;
}

function place(
  at: number,
  intent: number,
  terms: { readonly side: "BUY" | "SELL"; readonly price: number; readonly size: string },
): Sent {
  const { side, price, size } = terms;
  const plain = { type: "place", orderType: "LIMIT", orderMode: 0, strategy: "maker" } as const;
  const quantity = fixed(size);
  return {
    at,
    command: { ...plain, marketId: ETH_USDT, intent, nonce: intent, side, price, quantity },
  };
}

/** Events of a millisecond come before commands of the same one, as in a replay. */
function drive(venue: Driven, steps: readonly RecordedStep[], sent: readonly Sent[]): void {
  const times = [...steps.map(({ atMs }) => atMs), ...sent.map(({ at }) => unixMs(NOW + at))];
  for (const atMs of [...new Set(times)].toSorted((a, b) => a - b)) {
    venue.pass(atMs);
    for (const step of steps) if (step.atMs === atMs) venue.play(step);
    for (const { at, command } of sent) if (NOW + at === atMs) venue.send(command);
  }
  venue.pass(unixMs(Math.max(...times) + 60_000));
}

const account = { markets: [market], owner, balances: funds("100000", "100000000") };
const orderId = ({ intent }: Command) => testHash(intent + 1);

/** What happened to the bot's orders, and when. */
function newLines() {
  const lines: string[] = [];
  const onBlock = ({ timeMs, orderEvents }: Block): void => {
    for (const { order, fill } of orderEvents) {
      const traded =
        fill === undefined
          ? ""
          : ` ${fixedText(fill.quantity)}@${fixedText(fill.price)} for ${fixedText(fill.fee)}`;
      lines.push(`${timeMs - NOW} ${Number(order.orderId) - 1} ${order.status}${traded}`);
    }
  };
  return { lines, onBlock };
}

/** On paper. Its timer fires at its time where `isPunctual` says so, and otherwise after the next event or command. */
function onPaper(
  models: ModelSettings,
  steps: readonly RecordedStep[],
  sent: readonly Sent[],
  isPunctual: () => boolean,
): readonly string[] {
  const { lines, onBlock } = newLines();
  let nowMs: UnixMs = NOW;
  let timer: { readonly atMs: UnixMs; readonly run: () => void } | undefined;
  const after = (delayMs: number, run: () => void) => {
    timer = { atMs: unixMs(nowMs + delayMs), run };
    return { cancel: () => (timer = undefined) };
  };
  const venue = new RealTimeVenue({
    ...account,
    models: venueModels(models, "public-data"),
    onBlock,
    clock: { nowMs: () => nowMs, monotonicUs: () => nowMs * 1000 },
    timer: { after, soon: (run) => after(0, run) },
    push: () => undefined,
  });
  const dueBefore = (atMs: UnixMs) => {
    if (timer === undefined || timer.atMs >= atMs) return undefined;
    const isEnd = steps.every((step) => step.atMs < atMs);
    return isEnd || isPunctual() ? timer : undefined;
  };
  drive(
    {
      pass(atMs) {
        for (let due = dueBefore(atMs); due !== undefined; due = dueBefore(atMs)) {
          nowMs = due.atMs;
          due.run();
        }
        nowMs = atMs;
      },
      play({ marketId, event }) {
        if (event.type === "depth" || event.type === "book" || event.type === "trade") {
          venue.play(marketId, event, 0);
        }
      },
      send: (command) => venue.send(command, { txHash: orderId(command), bytesHex: "0x" }),
    },
    steps,
    sent,
  );
  return lines;
}

/** In a replay's order: an event, then what is due in its millisecond. */
function inVirtualTime(
  models: ModelSettings,
  steps: readonly RecordedStep[],
  sent: readonly Sent[],
): readonly string[] {
  const { lines, onBlock } = newLines();
  const venue = new SimulatedVenue({
    ...account,
    models: venueModels(models, "recording"),
    onBlock,
  });
  let nowMs: UnixMs = NOW;
  drive(
    {
      pass(atMs) {
        while (venue.nextRequestMs < atMs) venue.handle(unixMs(venue.nextRequestMs));
        nowMs = atMs;
      },
      play({ marketId, event, atMs }) {
        if (event.type !== "gap") venue.play(marketId, event, atMs);
      },
      send(command) {
        venue.handle(nowMs);
        const txHash = orderId(command);
        venue.send({ type: "command", command, txHash }, nowMs);
      },
    },
    steps,
    sent,
  );
  return lines;
}

const plain: ModelSettings = {
  fills: defaultFills,
  latency: constantDelays({ entry: 20, response: 0, feed: 0 }),
  fees: marketFees,
};

test("a command that was due before an event meets the book before that event, also when its timer is late", () => {
  const steps = [book(0, [99, 5], [101, 5]), depth(25, [], [101, 0, 103, 5])];
  const sent = [place(0, 1, { side: "BUY", price: 102, size: "1" })];
  const expected = ["20 1 NEW", "20 1 FILLED 1@101 for 0.002"];
  expect(onPaper(plain, steps, sent, () => true)).toEqual(expected);
  expect(onPaper(plain, steps, sent, () => false)).toEqual(expected);
});

test("a command that is due in an event's millisecond meets the book after that event", () => {
  const steps = [book(0, [99, 5], [101, 5]), depth(20, [], [101, 0, 103, 5])];
  const sent = [place(0, 1, { side: "BUY", price: 102, size: "1" })];
  expect(onPaper(plain, steps, sent, () => true)).toEqual(["20 1 NEW"]);
});

/** Orders around the touch, many of them canceled later. */
function randomCommands(random: Prng): Sent[] {
  const sent: Sent[] = [];
  for (let intent = 1, at = 5; intent < 120; intent += 1, at += random.int(1, 40)) {
    if (intent % 4 === 0) {
      const command = { type: "cancel", intent, nonce: intent, strategy: "maker" } as const;
      sent.push({ at, command: { ...command, orderId: testHash(intent - 1) } });
      continue;
    }
    const side = random.chance(0.5) ? "BUY" : "SELL";
    const price = (10_000 + random.int(-6, 6)) / 10;
    sent.push(place(at, intent, { side, price, size: String(random.int(1, 300) / 100) }));
  }
  return sent;
}

describe.each(
  queueNames.flatMap((queue) => [true, false].map((partialFills) => ({ queue, partialFills }))),
)("with $queue, partial fills $partialFills", ({ queue, partialFills }) => {
  test.each(["constant", "random"])("%s delays: orders fare as in a replay", (delays) => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const random = new Prng(seed);
      const models: ModelSettings = {
        fills: { ...defaultFills, queue, partialFills },
        latency:
          delays === "constant"
            ? constantDelays({ entry: 7, response: 3, feed: 0 })
            : {
                entry: { type: "lognormal", mean: 12, deviation: 10 },
                response: { type: "exponential", mean: 8, min: 1 },
                feed: { type: "constant", ms: 0 },
                seed,
              },
        fees: {
          ...marketFees,
          maker: -0.0001,
          tiers: [{ volume: fixed("5000"), maker: 0.00005, taker: 0.0003 }],
        },
      };
      const steps = recordingOf(random);
      const sent = randomCommands(random);
      const expected = inVirtualTime(models, steps, sent);
      expect(expected.filter((line) => line.includes("@")).length).toBeGreaterThan(10);
      expect(onPaper(models, steps, sent, () => random.chance(0.3))).toEqual(expected);
    }
  });
});
