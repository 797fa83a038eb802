import { errorText } from "../base/error-text.ts";
import { readKey } from "../domain/read-order.ts";
import type { Read } from "../kernel/effect.ts";
import type { Input } from "../kernel/input.ts";
import { reasonOfError, retryAfterOfError } from "./venue-error.ts";

/** The input of a read that got no usable response. */
export function readFailed(read: Read, thrown: unknown): Input {
  return {
    type: "readFailed",
    read: read.type,
    key: readKey(read),
    message: errorText(thrown),
    reason: reasonOfError(thrown),
    retryAfterMs: retryAfterOfError(thrown),
  };
}
