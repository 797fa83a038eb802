import type { Terms } from "../frame-to-order/terms.ts";

/** What both bots of the case G1c are told; each has a key of its own. */
export type LifeTerms = Omit<Terms, "privateKey">;

/** Between two moves: shorter than the 100 ms between frames, longer than the frames that a move itself causes take. */
export const REST_MS = 50;
