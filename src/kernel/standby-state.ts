import type { OrderId } from "../domain/ids.ts";
import type { KernelConfig } from "./config.ts";

/** The standby cancels that a guard process holds for this bot. */
export interface StandbyState {
  isGuarded: boolean;
  /** When the newest standby cancel of each order was made, oldest first. Empty while no guard is connected. */
  readonly made: Map<OrderId, number>;
}

/** Undefined when the mode has no guard, and for journals that are older than it. */
export function makeStandby({ guard }: KernelConfig): StandbyState | undefined {
  return guard === undefined ? undefined : { isGuarded: false, made: new Map() };
}
