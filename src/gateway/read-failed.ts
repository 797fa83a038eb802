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
    message: thrown instanceof Error ? thrown.message : String(thrown),
    reason: reasonOfError(thrown),
    retryAfterMs: retryAfterOfError(thrown),
  };
}
