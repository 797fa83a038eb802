import type { ControlResponse } from "./protocol.ts";

/** What a request changed and what it left, or why it was not done, as sentences for people. */
export function responseTexts(response: ControlResponse): readonly string[] {
  const { tuned, left = [] } = response.ok ? response : {};
  const { message, ordersLeft = [] } = response.ok ? {} : response;
  const { lifted = [], remaining = [] } = response.resumed ?? {};
  return [
    ...(message === undefined ? [] : [message]),
    ...(ordersLeft.length === 0 ? [] : [`orders in question: ${ordersLeft.join(", ")}`]),
    ...lifted.map((text) => `ended: ${text}`),
    ...remaining.map((text) => `not ended: ${text}`),
    ...(tuned === undefined ? [] : [`changed: ${tuned.changed.join(", ") || "nothing"}`]),
    ...(tuned?.warnings ?? []),
    ...left.map(
      ({ strategy, marketId, position, reason }) =>
        `left: ${position} of ${strategy} in ${marketId}: ${reason}`,
    ),
  ];
}
