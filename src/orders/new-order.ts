import type { PlaceCommand, StopCommand, TakeTerms } from "../domain/command.ts";
import { ZERO, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Tpsl } from "../domain/tpsl.ts";
import type { LegKind, OrderOrigin } from "./order-snapshot.ts";
import type { TrackedBracket, TrackedOrder, Trigger } from "./tracked-order.ts";

interface OrderTerms {
  readonly intent: number;
  readonly nonce: number;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
  readonly quantity: Fixed;
  readonly stopName?: string | undefined;
  readonly take?: TakeTerms | undefined;
  readonly key?: string | undefined;
  readonly trigger?: Trigger | undefined;
  readonly tpsl?: Tpsl | undefined;
  readonly leg?: LegKind | undefined;
}

/** An order that has been decided but not yet signed or sent. */
export function blankOrder(terms: OrderTerms, origin: OrderOrigin, madeAtMs: UnixMs): TrackedOrder {
  return {
    intent: terms.intent,
    orderId: undefined,
    nonce: terms.nonce,
    strategy: terms.strategy,
    origin,
    stopName: terms.stopName,
    take: terms.take,
    key: terms.key,
    trigger: terms.trigger,
    tpsl: terms.tpsl,
    bracket: undefined,
    leg: terms.leg,
    marketId: terms.marketId,
    side: terms.side,
    price: terms.price,
    quantity: terms.quantity,
    replaced: undefined,
    executed: ZERO,
    filled: ZERO,
    phase: "in-flight",
    status: undefined,
    cancel: "none",
    cancelIntent: 0,
    cancelEndedAtMs: undefined,
    cancelFailures: 0,
    madeAtMs,
    requestEndedAtMs: undefined,
    ackedAtMs: undefined,
    endedAtMs: undefined,
    unlisted: 0,
    isAbsent: false,
    isLost: false,
    isRefused: false,
    isCountedReject: false,
    reason: "",
    queueAhead: undefined,
    snapshot: undefined,
    published: undefined,
    eventBlock: undefined,
    queryAtMs: undefined,
    queries: 0,
  };
}

/** A trigger that has not fired. */
export function triggerAt(stopPrice: number, kind: Trigger["kind"]): Trigger {
  return { kind, stopPrice, isFired: false, isTurned: false };
}

export function stopOrder(command: StopCommand, madeAtMs: UnixMs): TrackedOrder {
  const { name: stopName, stopPrice, kind } = command;
  const trigger = triggerAt(stopPrice, kind);
  return blankOrder({ ...command, stopName, trigger }, "placed", madeAtMs);
}

/** The two legs of a placement, linked to it. Their intents are the two after the placement's. */
export function legsOf(
  command: PlaceCommand,
  tpsl: Tpsl,
  working: TrackedOrder,
): readonly [takeProfit: TrackedOrder, stopLoss: TrackedOrder] {
  const { intent, nonce, strategy, marketId, quantity, key } = command;
  const side = opposite(command.side);
  const common = { nonce, strategy, marketId, quantity, key, side };
  const { tpLimit, slTrigger, slLimit = 0 } = tpsl;
  const takeProfit = blankOrder(
    { ...common, intent: intent + 1, price: tpLimit, leg: "takeProfit" },
    "leg",
    working.madeAtMs,
  );
  const stopLoss = blankOrder(
    {
      ...common,
      intent: intent + 2,
      price: slLimit,
      leg: "stopLoss",
      trigger: triggerAt(slTrigger, "stop-loss"),
    },
    "leg",
    working.madeAtMs,
  );
  const bracket: TrackedBracket = { working, takeProfit, stopLoss };
  for (const order of [working, takeProfit, stopLoss]) order.bracket = bracket;
  for (const leg of [takeProfit, stopLoss]) leg.phase = "pending";
  return [takeProfit, stopLoss];
}
