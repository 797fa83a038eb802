import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { marketId } from "../../../src/domain/ids.ts";
import { DepthScanner } from "../../../src/gateway/depth-scanner.ts";
import { auditFrom, depthFrom } from "../../../src/gateway/from-wire.ts";
import { decodeServerFrame, type StreamPush } from "../../../src/spec/stream.ts";
import { decimal, few, flip, flipped } from "../hostile.ts";
import { defineTarget, Violation } from "../target.ts";

const level = fc.tuple(
  fc.oneof(decimal, fc.double({ min: 1e-9, max: 1e9, noNaN: true }).map(String)),
  decimal,
);
const whole = fc.oneof(fc.nat(), fc.constantFrom(0, 999_999_999_999_999, 1e15, 2 ** 53));

const inputs = fc
  .record({
    market: fc.constantFrom("1_2", "1_2", "3_2", "9_9"),
    bids: fc.array(level, { maxLength: 5 }),
    asks: fc.array(level, { maxLength: 5 }),
    firstId: whole,
    finalId: whole,
    time: fc.oneof(fc.constant(1_767_225_600_000), whole),
    isSnapshot: fc.boolean(),
    flips: few(flip),
  })
  .map(({ market, flips, isSnapshot, firstId, finalId, bids, asks, time }) => {
    const [channel, result] = isSnapshot
      ? ["depthSnapshot", { marketId: market, lastUpdateId: finalId, bids, asks, time }]
      : ["depth", { marketId: market, bids, asks, firstId, finalId, time }];
    const params = { channel: `${channel}@${market}`, result };
    return flipped(Buffer.from(JSON.stringify({ method: "subscription", params })), flips);
  });

function slowly(push: StreamPush): object {
  if (push.kind === "depth") return depthFrom(push.payload);
  if (push.kind === "depthSnapshot") return auditFrom(push.payload);
  throw new Violation("accepted-invalid", push.kind);
}

/** The fast depth scanner decodes every frame that it accepts as the reference codec does. */
export const depthScannerTarget = defineTarget({
  name: "depth frames, quick against reference",
  weight: 8,
  inputs,
  open: () => {
    const scanner = new DepthScanner([marketId("1", "2"), marketId("3", "2")]);
    return {
      check: (bytes) => {
        const quick = scanner.scan(bytes) ?? scanner.scanSnapshot(bytes);
        if (quick === undefined) return "refused";
        const reference = decodeServerFrame(Buffer.from(bytes).toString("utf8"));
        if (!reference.ok) throw new Violation("accepted-invalid", reference.error);
        const { value } = reference;
        if (value.type !== "push") throw new Violation("accepted-invalid", value.type);
        const slow = slowly(value.push);
        if (!isDeepStrictEqual({ ...quick }, { ...slow })) {
          throw new Violation("wrong-answer", JSON.stringify([quick, slow]));
        }
        return "taken";
      },
    };
  },
});
