import { type FrameDecoder, StreamDecoder, type StreamFrame } from "../gateway/stream-decoder.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";
import { decodeServerFrame, type StreamPush } from "../spec/stream.ts";

const decoder = new TextDecoder();

/** Decodes frames as a bot does and keeps the text of depth and trades, so that they are recorded as received. */
export class RecordedFrames implements FrameDecoder {
  readonly #decoder: StreamDecoder;
  readonly #unreadable: (reason: string) => void;
  readonly #texts = new WeakMap<Input, string>();

  constructor(markets: readonly MarketId[], unreadable: (reason: string) => void) {
    this.#decoder = new StreamDecoder(markets);
    this.#unreadable = unreadable;
  }

  decode(data: Uint8Array): StreamFrame {
    const frame = this.#decoder.decode(data);
    if (frame.type === "unreadable") this.#unreadable(frame.reason);
    else if (frame.type === "input" && isRecorded(frame.input)) {
      // The caller may reuse the bytes after this call, so copy the text.
      this.#texts.set(frame.input, decoder.decode(data));
    }
    return frame;
  }

  /** The message behind an input that this object decoded, with decimals as received; undefined for other inputs. */
  pushOf(input: Input): StreamPush | undefined {
    const text = this.#texts.get(input);
    const frame = text === undefined ? undefined : decodeServerFrame(text);
    return frame?.ok === true && frame.value.type === "push" ? frame.value.push : undefined;
  }
}

function isRecorded(input: Input): boolean {
  return input.type === "depth" || input.type === "trade";
}
