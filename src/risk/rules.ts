import type { z } from "zod";
import type { Guard } from "./rule.ts";
import { balance } from "./rules/balance.ts";
import { budget } from "./rules/budget.ts";
import { liveBook } from "./rules/live-book.ts";
import { maxNet } from "./rules/max-net.ts";
import { maxOpenOrders } from "./rules/max-open-orders.ts";
import { maxOrderNotional } from "./rules/max-order-notional.ts";
import { maxOrderSize } from "./rules/max-order-size.ts";
import { maxPosition } from "./rules/max-position.ts";
import { priceCollar } from "./rules/price-collar.ts";
import { priceRule } from "./rules/price-rule.ts";
import { reduceOnly } from "./rules/reduce-only.ts";
import { selfCross } from "./rules/self-cross.ts";
import { staleBook } from "./rules/stale-book.ts";
import { stopSide } from "./rules/stop-side.ts";

/** Rules without a setting, in the order in which they are checked. */
export const guards: readonly Guard[] = [
  liveBook,
  priceRule,
  stopSide,
  reduceOnly,
  selfCross,
  balance,
  budget,
];

/** Rules with a setting, by its key in `risk:`, in the order in which they are checked. */
export const limits = {
  staleBook,
  priceCollar,
  maxOrderSize,
  maxOrderNotional,
  maxPosition,
  maxNet,
  maxOpenOrders,
} as const;

export type LimitKey = keyof typeof limits;

export const limitKeys = Object.keys(limits) as readonly LimitKey[];

/** The value of each limit; null is off. */
export type LimitValues = {
  readonly [Key in LimitKey]: z.output<(typeof limits)[Key]["params"]> | null;
};
