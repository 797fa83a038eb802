import type { Input } from "../input.ts";
import type { KernelState } from "../state.ts";

/**
 * Names the current input as one that is not taken as the venue said it, and what is taken in its place, if anything. The journal's
 * readers go by that, so that the next run books what this one did not (docs/decisions/209). `awaitsFills`: a list of fills decides about it.
 */
export function disbelieve(
  state: KernelState,
  believed: Input | undefined,
  awaitsFills = false,
): void {
  if (state.doubts === undefined || state.config.journalsDoubts !== true) return;
  const at = state.inputAt;
  state.disbelieved.push({
    type: "disbelieve",
    at,
    ...(believed === undefined ? {} : { believed }),
    ...(awaitsFills ? { awaitsFills } : {}),
  });
}

/** The list that was told, when all of it is believed as it is; else what is believed of it. */
export function toldOr<Item>(told: readonly Item[], believed: readonly Item[]): readonly Item[] {
  const isSame = told.length === believed.length && told.every((item, at) => item === believed[at]);
  return isSame ? told : believed;
}
