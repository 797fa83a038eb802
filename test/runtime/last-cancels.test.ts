import { expect, it } from "vitest";
import type { CommandOutcome, RefusalReason } from "../../src/domain/command.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import type { OrderReport } from "../../src/domain/order.ts";
import { sendLastCancels } from "../../src/runtime/last-cancels.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { report } from "../journal/journal-fixture.ts";

function idOf(number: number): OrderId {
  return `0x${number.toString(16).padStart(64, "0")}` as OrderId;
}

const ids = [1, 2, 3, 4].map(idOf);

function refused(reason: RefusalReason): CommandOutcome {
  return { type: "refused", reason, message: "", retryAfterMs: undefined };
}

interface Script {
  readonly isAcknowledged?: boolean;
  /** Outcomes of its cancels; the last one repeats. */
  readonly cancels: readonly CommandOutcome[];
  /** Responses to its queries; the last one repeats. */
  readonly queries: readonly (OrderReport["status"] | "absent" | "fails" | "hangs")[];
}

/** Runs the last cancels of scripted orders. */
async function run(scripts: readonly Script[], limitMs?: number) {
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  const sent = scripts.map(() => 0);
  const queried = scripts.map(() => 0);
  const pending = sendLastCancels({
    orders: scripts.map(({ isAcknowledged = true }, at) => ({
      orderId: idOf(at + 1),
      isAcknowledged,
      nonce: at,
    })),
    clock,
    timer: clock,
    waitForToken: async () => undefined,
    landedMs: 15_000,
    ...(limitMs === undefined ? {} : { limitMs }),
    // The bytes of the first order expire while the rounds go on, those of the others do not.
    expiresMs: (nonce) => (nonce === 0 ? startMs + 10_000 : Number.POSITIVE_INFINITY),
    cancelOf: (orderId) => ({ bytesHex: orderId, txHash: orderId }),
    async submit({ txHash }) {
      const at = ids.indexOf(txHash);
      const { cancels = [] } = scripts[at] ?? {};
      const outcome = cancels[Math.min(sent[at] ?? 0, cancels.length - 1)];
      sent[at] = (sent[at] ?? 0) + 1;
      return outcome ?? { type: "unknown", message: "" };
    },
    async query(orderId) {
      const at = ids.indexOf(orderId);
      const { queries = [] } = scripts[at] ?? {};
      const response = queries[Math.min(queried[at] ?? 0, queries.length - 1)] ?? "fails";
      queried[at] = (queried[at] ?? 0) + 1;
      if (response === "hangs") return new Promise(() => undefined);
      if (response === "fails") throw new Error("no response");
      return response === "absent" ? response : report(orderId, response);
    },
  });
  await clock.runFor(60_000);
  return { left: await pending, sent, queried };
}

const accepted: CommandOutcome = { type: "accepted" };
const unknown: CommandOutcome = { type: "unknown", message: "" };

it("are repeated until the venue shows the end of each order", async () => {
  const { left, sent } = await run([
    { cancels: [accepted], queries: ["CANCELED"] },
    { cancels: [unknown, unknown, refused("invalid")], queries: ["fails", "NEW", "FILLED"] },
    { cancels: [refused("notFound"), accepted], queries: ["absent", "NEW", "CANCELED"] },
    { cancels: [refused("invalid"), accepted], queries: ["NEW", "CANCELED"] },
  ]);
  expect(left).toEqual([]);
  // An accepted cancel is repeated only when the venue shows the order open afterwards.
  expect(sent).toEqual([1, 3, 3, 2]);
});

it("leave an order in question whose end is not proven", async () => {
  const { left, sent } = await run([
    { cancels: [refused("invalid")], queries: ["fails"] },
    { cancels: [refused("notFound")], queries: ["absent"] },
    { cancels: [accepted], queries: ["fails"] },
    { cancels: [accepted], queries: ["PENDING_CANCEL"] },
  ]);
  expect(left).toEqual(ids);
  expect(sent[2]).toBe(1);
});

it("name the orders without a proof when the time limit comes before the end of the rounds", async () => {
  const { left } = await run(
    [
      { cancels: [accepted], queries: ["CANCELED"] },
      { cancels: [accepted], queries: ["PENDING_CANCEL", "hangs"] },
    ],
    6_000,
  );
  expect(left).toEqual([ids[1]]);
});

it("send nothing after the time limit", async () => {
  const { left, sent } = await run([{ cancels: [unknown], queries: ["NEW"] }], 2_500);
  expect(left).toEqual([ids[0]]);
  // One cancel at once, and one after each second.
  expect(sent[0]).toBe(3);
});

it("take an absent order as ended once its nonce has expired or its cancel was accepted, and not before", async () => {
  const { left, queried } = await run([
    { isAcknowledged: false, cancels: [refused("notFound")], queries: ["absent"] },
    { cancels: [accepted], queries: ["absent"] },
    { isAcknowledged: false, cancels: [refused("notFound")], queries: ["absent"] },
  ]);
  expect(left).toEqual([ids[2]]);
  expect(queried.slice(0, 2)).toEqual([11, 16]);
});

it("ask for the other orders, and cancel them again, while one request gets no answer", async () => {
  const { left, sent } = await run(
    [
      { cancels: [accepted], queries: ["hangs"] },
      { cancels: [accepted, accepted], queries: ["NEW", "CANCELED"] },
    ],
    10_000,
  );
  expect(left).toEqual([ids[0]]);
  expect(sent[1]).toBe(2);
});
