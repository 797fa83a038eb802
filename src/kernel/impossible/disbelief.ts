import type { Input } from "../input.ts";
import type { KernelState } from "../state.ts";

/**
 * Names the current input as one that is not taken as the venue said it, and what is taken in its place, if anything. The journal's
 * readers go by that, so that the next run books what this one did not (docs/decisions/209).
 */
export function disbelieve(state: KernelState, believed?: Input): void {
  const at = state.inputAt;
  state.disbelieved.push({
    type: "disbelieve",
    at,
    ...(believed === undefined ? {} : { believed }),
  });
}
