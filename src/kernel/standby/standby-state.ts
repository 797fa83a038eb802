import type { KernelConfig } from "../config.ts";

/** The standby cancels that a guard process holds for this bot. */
export interface StandbyState {
  isGuarded: boolean;
  /** When the newest standby cancel of each order was made, by its intent, oldest first. Empty while no guard is connected. */
  readonly made: Map<number, number>;
  /** The venue's clock minus ours when the present cancels were made; undefined before the first. */
  offsetMs: number | undefined;
}

/** Undefined when the mode has no guard. */
export function makeStandby({ guard }: KernelConfig): StandbyState | undefined {
  return guard && { isGuarded: false, made: new Map(), offsetMs: undefined };
}
