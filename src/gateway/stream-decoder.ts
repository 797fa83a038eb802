import { TouchlineError } from "../base/error.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";
import { FRAME_BYTES_MAX } from "../spec/limits.ts";
import { decodeServerFrame, type StreamPush, type StreamReply } from "../spec/stream.ts";
import { DepthScanner } from "./depth-scanner.ts";
import { accountEventFrom, auditFrom, depthFrom, orderEventFrom, tradeFrom } from "./from-wire.ts";

/** A decoded frame from the venue. */
export type StreamFrame<Data = Input> =
  | { readonly type: "input"; readonly input: Data }
  | { readonly type: "reply"; readonly reply: StreamReply }
  /** Readable, but not needed. */
  | { readonly type: "ignored" }
  | { readonly type: "unreadable"; readonly reason: string };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const ignored: StreamFrame = { type: "ignored" };
const tooLong: StreamFrame = {
  type: "unreadable",
  reason: `a frame has more than ${FRAME_BYTES_MAX} bytes`,
};

/** Decodes frames. The caller may reuse `data` as soon as `decode` returns. */
export interface FrameDecoder<Data = Input> {
  decode(data: Uint8Array): StreamFrame<Data>;
}

/** Turns frames of the venue's stream into kernel inputs: books with the fast scanner, all else with the reference codecs. */
export class StreamDecoder implements FrameDecoder {
  readonly #scanner: DepthScanner;
  readonly #markets: ReadonlySet<string>;

  constructor(markets: readonly MarketId[]) {
    this.#scanner = new DepthScanner(markets);
    this.#markets = new Set(markets);
  }

  decode(data: Uint8Array): StreamFrame {
    // Before it becomes text, which would take as much memory again.
    if (data.length > FRAME_BYTES_MAX) return tooLong;
    const event = this.#scanner.scan(data);
    if (event !== undefined) return { type: "input", input: { type: "depth", event } };
    const snapshot = this.#scanner.scanSnapshot(data);
    if (snapshot !== undefined) return { type: "input", input: { type: "depthAudit", snapshot } };
    const frame = decodeServerFrame(decoder.decode(data));
    if (!frame.ok) return { type: "unreadable", reason: frame.error };
    if (frame.value.type === "reply") return frame.value;
    try {
      const input = this.#inputOf(frame.value.push);
      return input === undefined ? ignored : { type: "input", input };
    } catch (thrown) {
      if (!(thrown instanceof TouchlineError)) throw thrown;
      return { type: "unreadable", reason: thrown.message };
    }
  }

  #inputOf(push: StreamPush): Input | undefined {
    switch (push.kind) {
      case "depth":
        if (!this.#markets.has(push.payload.marketId)) return undefined;
        return { type: "depth", event: depthFrom(push.payload) };
      case "depthSnapshot":
        if (!this.#markets.has(push.payload.marketId)) return undefined;
        return { type: "depthAudit", snapshot: auditFrom(push.payload) };
      case "trade":
        if (!this.#markets.has(push.payload.marketId)) return undefined;
        return { type: "trade", trade: tradeFrom(push.payload) };
      case "userEvent":
        return push.payload.topic === "ORDER"
          ? { type: "orderEvent", event: orderEventFrom(push.payload) }
          : { type: "accountEvent", event: accountEventFrom(push.payload) };
      case "ticker":
        return undefined;
    }
  }
}
