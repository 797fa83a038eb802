import fc from "fast-check";
import { StreamDecoder } from "../../../src/gateway/stream-decoder.ts";
import { marketId } from "../../../src/domain/ids.ts";
import { payloads, userEvents } from "../../spec/samples.ts";
import { few, flip, flipped, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { isStrictFrame } from "../strict-frame.ts";
import { defineTarget, Violation } from "../target.ts";

const address = "0xD02db1F0F79098822d9F84097B4376A4d7879E8f";
const message = (channel: string, result: unknown): unknown => ({
  method: "subscription",
  params: { channel, result },
});

/** One sample of each frame that a venue sends. */
const frames: readonly unknown[] = [
  message("trade@1_2", payloads["trade"]),
  message("depth@1_2", payloads["depth"]),
  message("depth@1_2", payloads["depth"]),
  message("depthSnapshot@1_2", payloads["depthSnapshot"]),
  message("ticker", payloads["ticker"]),
  ...userEvents.map((event) => message(`userEvent@${address}`, event)),
  { result: "ok", id: 5 },
  { error: { code: 400, message: "no" }, id: null },
];

const inputs = fc
  .record({
    frame: fc.constantFrom(...frames),
    spoils: few(spoil),
    scratches: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: few(scratch) },
    ),
    flips: fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few(flip) }),
  })
  .map(({ frame, spoils, scratches, flips }) => {
    const text = scratched(JSON.stringify(spoiled(frame, spoils)) ?? "", scratches);
    return flipped(Buffer.from(text), flips);
  });

/** Valid and invalid frames of a venue: the gateway's decoder never throws, and accepts only frames of the interface. */
export const serverFrameTarget = defineTarget({
  name: "frames from the venue",
  weight: 14,
  inputs,
  open: () => {
    const decoder = new StreamDecoder([marketId("1", "2")]);
    return {
      check: (bytes) => {
        const frame = decoder.decode(bytes);
        const isStrict = isStrictFrame(Buffer.from(bytes).toString("utf8"));
        const isTaken = frame.type !== "unreadable";
        if (isTaken && !isStrict) throw new Violation("accepted-invalid", `read as ${frame.type}`);
        // The decoder may refuse values with too many digits to be kept exactly.
        if (!isTaken && isStrict && !frame.reason.includes("too precise")) {
          throw new Violation("refused-valid", frame.reason);
        }
        return isTaken ? "taken" : "refused";
      },
    };
  },
});
