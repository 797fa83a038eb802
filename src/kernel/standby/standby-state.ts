import type { OrderId } from "../../domain/ids.ts";
import type { KernelConfig } from "../config.ts";

/** The standby cancels that a guard process holds for this bot. */
export interface StandbyState {
  isGuarded: boolean;
  /** When the newest standby cancel of each order was made, oldest first. Empty while no guard is connected. */
  readonly made: Map<OrderId, number>;
  /** Intents of the orders of the last step, whose ids were not known then and whose standby cancels are made. */
  fresh: ReadonlySet<number>;
  /** The venue's clock minus ours when the present cancels were made; undefined before the first. */
  offsetMs: number | undefined;
}

const none: ReadonlySet<number> = new Set();

/** Undefined when the mode has no guard. */
export function makeStandby({ guard }: KernelConfig): StandbyState | undefined {
  return guard === undefined
    ? undefined
    : { isGuarded: false, made: new Map(), fresh: none, offsetMs: undefined };
}
