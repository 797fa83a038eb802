import type { RefusalReason } from "../domain/command.ts";

/**
 * The code by which this venue's interface states each reason (D11); the HTTP status is the same. 403 is not in the interface, but
 * proxies in front of a venue answer so.
 */
export const refusalCodes: Readonly<Record<RefusalReason, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  nonceUsed: 409,
  rateLimited: 429,
  unavailable: 503,
};

const reasons: ReadonlyMap<number, RefusalReason> = new Map(
  Object.entries(refusalCodes).map(([reason, code]) => [code, reason as RefusalReason]),
);

/** What a code of the envelope means; a code without a meaning of its own counts as `unavailable`, which says nothing about the request. */
export function refusalReasonOf(code: number): RefusalReason {
  return reasons.get(code) ?? "unavailable";
}
