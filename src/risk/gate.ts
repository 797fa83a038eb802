import type { MarketId } from "../domain/ids.ts";
import { isLeaving, type TrackedOrder } from "../orders/tracked-order.ts";
import type { Proposal, RiskContext } from "./context.ts";
import { reducesPosition, withoutLeaving } from "./exposure.ts";
import type { DenyReason } from "./reason.ts";
import { guards, type LimitKey, limitKeys, limits, type LimitValues } from "./rules.ts";
import type { Guard, Limit } from "./rule.ts";
import { limitsFor, type RiskLimits } from "./settings.ts";

export interface Denial {
  readonly allowed: false;
  readonly reason: DenyReason;
  /** It would pass once the cancels under way, and that of the order that makes way, have made room: it breaks no limit. */
  readonly waits: boolean;
}

export type Verdict = { readonly allowed: true } | Denial;

/** The sentence that says why nothing is placed. */
export function denialText({
  reason,
  waits = false,
}: Pick<Denial, "reason"> & Partial<Pick<Denial, "waits">>): string {
  if (waits) return "waiting for a cancel";
  return `denied by ${reason.rule}: ${reason.actual}, limit ${reason.limit}`;
}

const allowed: Verdict = { allowed: true };

/** The check of a guard, or of a limit with its value. */
type Check = Guard["check"];

/**
 * Checks every placement before it is sent, counting all orders that exist or may exist. It takes placements only, so a cancel
 * cannot be denied.
 */
export class RiskGate {
  readonly #settings: RiskLimits;
  /** Bounded by the number of markets in the config. */
  readonly #checks = new Map<MarketId, readonly Check[]>();
  /** Derived limits, by market. */
  readonly #derived = new Map<MarketId, Partial<LimitValues>>();

  constructor(settings: RiskLimits) {
    this.#settings = settings;
  }

  /** Sets limits of a market from now on, over those of the configuration. */
  setLimits(marketId: MarketId, values: Partial<LimitValues>): void {
    this.#derived.set(marketId, { ...this.#derived.get(marketId), ...values });
    this.#checks.delete(marketId);
  }

  /** `makesWay`: an order that can be canceled for this placement. */
  check(proposal: Proposal, context: RiskContext, makesWay?: TrackedOrder): Verdict {
    const reason = this.#firstNo(proposal, context);
    if (reason === undefined) return allowed;
    const goes = (order: TrackedOrder): boolean => order === makesWay || isLeaving(order);
    const waits =
      context.orders.some(goes) &&
      this.#firstNo(proposal, withoutLeaving(context, goes)) === undefined;
    return { allowed: false, reason, waits };
  }

  #firstNo(proposal: Proposal, context: RiskContext): DenyReason | undefined {
    let checks = this.#checks.get(proposal.marketId);
    if (checks === undefined) {
      const { marketId } = proposal;
      const values = limitsFor(this.#settings, marketId);
      const derived = this.#derived.get(marketId);
      checks = checksFor({ ...values, ...derived }, derived?.maxOrderNotional !== undefined);
      this.#checks.set(marketId, checks);
    }
    for (const check of checks) {
      const reason = check(proposal, context);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}

/** `mayClose`: an order that only reduces the position may be larger than `maxOrderNotional`, which nobody has chosen. */
function checksFor(values: LimitValues, mayClose: boolean): Check[] {
  const checks = guards.map(({ check }) => check);
  for (const key of limitKeys) {
    const check = bind(key, values);
    if (check === undefined) continue;
    checks.push(mayClose && key === "maxOrderNotional" ? unlessReducing(check) : check);
  }
  return checks;
}

const unlessReducing =
  (limit: Check): Check =>
  (proposal, context) =>
    reducesPosition(proposal, context) ? undefined : limit(proposal, context);

type Checks = {
  readonly [Key in LimitKey]: Pick<Limit<(typeof limits)[Key]["params"]>, "check">;
};

function bind<Key extends LimitKey>(key: Key, values: LimitValues): Check | undefined {
  const value = values[key];
  if (value === null) return undefined;
  const table: Checks = limits;
  const rule = table[key];
  return (proposal, context) => rule.check(proposal, context, value);
}
