import { negFixed, type Fixed } from "../../domain/fixed.ts";
import { Decimal } from "../../domain/decimal.ts";
import type { MarketRules } from "../../domain/market-rules.ts";
import type { Side } from "../../domain/side.ts";
import type { SetDecision } from "../../strategy/contract.ts";
import { shown } from "../../strategy/shown.ts";
import type { TakePrices, WantedTake, WantedWork } from "../../strategy/wanted-take.ts";
import { badSize, readSize } from "../strategy/read-amount.ts";
import { checkOneOf, isObject, lengthOf, nameOf, priceOf, targetSizeOf } from "../targets.ts";

/** The name of the takes that `workTo` makes. */
export const WORK_TO = "workTo";

/** Worst price and slippage of a take; at least one of both is set. */
interface TakeBounds {
  readonly limit: number | undefined;
  readonly maxSlippage: number | undefined;
}

/** A take that is due. Its price and size follow from the book at sending. */
export interface TargetClip extends TakeBounds {
  readonly name: string;
  readonly side: Side;
  /** In base token, or else `quoteSize`. */
  readonly size: Fixed | undefined;
  readonly quoteSize: Fixed | undefined;
  readonly isMarket: boolean;
}

/** A take of the newest decision. */
export interface TargetTake extends TargetClip {
  readonly withinMs: number;
}

/** The position that takes work to. */
export interface TargetWork extends TakeBounds {
  readonly position: Fixed;
  readonly clip: Fixed;
  readonly everyMs: number;
}

/** Most takes of a decision. */
const MAX_TAKES = 100;
/** What still rests of a take this many milliseconds after it was sent is canceled in any case. */
export const WITHIN_MS = 1_000;
const MAX_SLIPPAGE = 0.002;
export const noTakes: readonly TargetTake[] = [];

/** A decision's takes, copied and checked like its quotes (`targetsOf`). */
export function targetTakes({ takes }: SetDecision, rules: MarketRules): readonly TargetTake[] {
  const count = lengthOf(takes, "takes", MAX_TAKES);
  if (count === 0) return noTakes;
  const targets = new Map<string, TargetTake>();
  for (let at = 0; at < count; at += 1) {
    const take = takes[at];
    if (take === undefined || !isObject(take)) {
      throw new TypeError(`takes[${at}] is ${shown(take)}, not a take`);
    }
    const name = nameOf(take.name, `takes[${at}].name`);
    if (name === WORK_TO)
      throw new TypeError(`a take is named "${name}", the name of the takes of workTo`);
    if (targets.has(name)) throw new TypeError(`two takes are named "${name}"`);
    const target = targetTake(name, take, rules);
    if ((target.size ?? target.quoteSize ?? 0n) > 0n) targets.set(name, target);
  }
  return [...targets.values()];
}

function targetTake(name: string, take: WantedTake, rules: MarketRules): TargetTake {
  const { side, size, quoteSize, within = WITHIN_MS, market = false } = take;
  const what = (field: string): string => `${field} of take "${name}"`;
  checkOneOf(side, what("side"), "BUY", "SELL");
  if ((size === undefined) === (quoteSize === undefined)) {
    throw new TypeError(
      `take "${name}" has ${size === undefined ? "no" : "both a"} size and quoteSize; give one of them`,
    );
  }
  if (typeof market !== "boolean") {
    throw new TypeError(`${what("market")} is ${shown(market)}, not true or false`);
  }
  const base = size === undefined ? undefined : targetSizeOf(rules, size);
  const quote = quoteSize === undefined ? undefined : readSize(quoteSize);
  if (size !== undefined && base === undefined) throw badSize(size, what("size"));
  if (quoteSize !== undefined && quote === undefined) throw badSize(quoteSize, what("quoteSize"));
  return {
    name,
    side,
    size: base,
    quoteSize: quote,
    withinMs: durationOf(within, what("within")),
    isMarket: market,
    ...boundsOf(take, what),
  };
}

/** A decision's position to work to. */
export function targetWork({ workTo }: SetDecision, rules: MarketRules): TargetWork | undefined {
  if (workTo === undefined) return undefined;
  if (!isObject(workTo)) {
    throw new TypeError(
      `workTo is ${shown(workTo)}; write workTo: { position, limit, clip, every }`,
    );
  }
  const what = (field: string): string => `workTo.${field}`;
  const clip = targetSizeOf(rules, workTo.clip);
  if (clip === undefined || clip === 0n) throw badSize(workTo.clip, what("clip"));
  return {
    position: positionOf(workTo),
    clip,
    everyMs: durationOf(workTo.every, what("every")),
    ...boundsOf(workTo, what),
  };
}

function boundsOf({ limit, maxSlippage }: TakePrices, what: (field: string) => string): TakeBounds {
  const isShare = typeof maxSlippage === "number" && maxSlippage >= 0 && maxSlippage < 1;
  if (maxSlippage !== undefined && !isShare) {
    throw new TypeError(
      `${what("maxSlippage")} is ${shown(maxSlippage)}; it is a share from 0 to below 1`,
    );
  }
  if (limit === undefined) return { limit, maxSlippage: maxSlippage ?? MAX_SLIPPAGE };
  return { limit: priceOf(limit, what("limit")), maxSlippage };
}

function positionOf({ position }: WantedWork): Fixed {
  const isText = typeof position === "string";
  const isShort = isText
    ? position.startsWith("-")
    : Decimal.isDecimal(position) && position.isNegative();
  const length = !isShort ? position : isText ? position.slice(1) : position.negated();
  const size = readSize(length);
  if (size === undefined) throw badSize(position, "workTo.position");
  return isShort ? negFixed(size) : size;
}

function durationOf(ms: unknown, what: string): number {
  if (typeof ms === "number" && ms > 0 && ms < Number.POSITIVE_INFINITY) return ms;
  throw new TypeError(`${what} is ${shown(ms)}; write milliseconds above 0, such as 1000`);
}
