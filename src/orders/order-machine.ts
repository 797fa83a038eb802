import type { CommandOutcome } from "../domain/command.ts";
import { isTerminal, type OrderStatus } from "../domain/order.ts";
import type { OrderPhase } from "./order-snapshot.ts";
import type { CancelPhase } from "./tracked-order.ts";

/**
 * What may be learned of an order, whichever way it came:
 * `accepted`: its request, a cancel of it or one of its fills proves that the venue took it. `refused`: a readable 4xx.
 * `notSent`: no byte left. `noAnswer`: the request ended without a readable answer. `open`, `over`: an event or a report
 * shows it alive or terminal. `absent`: the venue, asked by id late enough that the request cannot land any more, has no
 * such order (the tracker holds earlier ones back). `lost`: it had acknowledged the order, and for long knows nothing of it,
 * whichever way it is asked (lost-order.ts).
 */
export const reportKinds = [
  "accepted",
  "refused",
  "notSent",
  "noResponse",
  "open",
  "over",
  "absent",
  "lost",
] as const;
export type ReportKind = (typeof reportKinds)[number];

/** The phases, with the ways to end kept apart. */
export type OrderStage = OrderPhase | "never-placed" | "lost";

/**
 *               accepted, open
 *   in-flight ─────────────────▶ working ──over──▶ ended
 *    │  │  │                      ▲    ▲             ▲
 *    │  │  └─noAnswer─▶ unknown ──┘    │             │
 *    │  │                │  │ accepted,│open         │
 *    │  │                │  └───over───┼─────────────┤
 *    │  └──────over──────┼─────────────┼─────────────┤
 *    │                   │absent       │accepted,    │over
 *    │ refused,          ▼             │open         │
 *    └─notSent────▶ never-placed ──────┴─────────────┘
 *
 * A leg is `pending` until the venue places it: open leads to working, over to ended; that the request was accepted, or not
 * answered, leaves it pending, and where it was refused or never got there the leg never was.
 *
 * What the venue ended (`ended`) never reopens. `never-placed` and `lost`, where what was acknowledged goes by the word of the
 * same name, are only our own conclusions: should the venue show the order after all, money rests there, so it counts again,
 * loudly.
 */
export const orderMoves: Readonly<Record<OrderStage, Readonly<Record<ReportKind, OrderStage>>>> = {
  "in-flight": {
    accepted: "working",
    refused: "never-placed",
    notSent: "never-placed",
    noResponse: "unknown",
    open: "working",
    over: "ended",
    // Its request may still land.
    absent: "in-flight",
    lost: "in-flight",
  },
  unknown: {
    accepted: "working",
    // A repeat of the same bytes that is refused says nothing about the first time.
    refused: "unknown",
    notSent: "unknown",
    noResponse: "unknown",
    open: "working",
    over: "ended",
    absent: "never-placed",
    lost: "lost",
  },
  pending: {
    accepted: "pending",
    refused: "never-placed",
    notSent: "never-placed",
    noResponse: "pending",
    open: "working",
    over: "ended",
    absent: "never-placed",
    lost: "lost",
  },
  working: {
    accepted: "working",
    // An event was quicker than the answer and knows better.
    refused: "working",
    notSent: "working",
    noResponse: "working",
    open: "working",
    over: "ended",
    // Impossible for what was acknowledged: kept, warned about and asked again.
    absent: "working",
    lost: "lost",
  },
  ended: {
    accepted: "ended",
    refused: "ended",
    notSent: "ended",
    noResponse: "ended",
    open: "ended",
    over: "ended",
    absent: "ended",
    lost: "ended",
  },
  "never-placed": {
    accepted: "working",
    refused: "never-placed",
    notSent: "never-placed",
    noResponse: "never-placed",
    open: "working",
    over: "ended",
    absent: "never-placed",
    lost: "never-placed",
  },
  lost: {
    accepted: "working",
    refused: "lost",
    notSent: "lost",
    noResponse: "lost",
    open: "working",
    over: "ended",
    absent: "lost",
    lost: "lost",
  },
};

/**
 * What may be learned of a cancel. `made`: a cancel command exists. `busy`: refused for a reason that is not the order's
 * (`rateLimited`, `nonceUsed`), so the same cancel may be sent again. `stillOpen`: the order proved open after the cancel's request had ended,
 * so another one may be made (canceling twice does no harm).
 */
export const cancelReportKinds = [
  "made",
  "accepted",
  "refused",
  "busy",
  "notSent",
  "noResponse",
  "stillOpen",
] as const;
export type CancelReportKind = (typeof cancelReportKinds)[number];

/**
 *          made               accepted
 *   none ────────▶ in-flight ──────────▶ accepted
 *    ▲ ▲   notSent, │  │ └─noAnswer─▶ unknown
 *    │ └────busy────┘  └───refused──▶ refused
 *    └──stillOpen── accepted, unknown, refused          (made leads to in-flight from everywhere)
 */
export const cancelMoves: Readonly<
  Record<CancelPhase, Readonly<Record<CancelReportKind, CancelPhase>>>
> = {
  none: {
    made: "in-flight",
    accepted: "accepted",
    refused: "none",
    busy: "none",
    notSent: "none",
    noResponse: "none",
    stillOpen: "none",
  },
  "in-flight": {
    made: "in-flight",
    accepted: "accepted",
    refused: "refused",
    busy: "none",
    notSent: "none",
    noResponse: "unknown",
    stillOpen: "in-flight",
  },
  unknown: {
    made: "in-flight",
    accepted: "accepted",
    refused: "unknown",
    busy: "unknown",
    notSent: "unknown",
    noResponse: "unknown",
    stillOpen: "none",
  },
  accepted: {
    made: "in-flight",
    accepted: "accepted",
    refused: "accepted",
    busy: "accepted",
    notSent: "accepted",
    noResponse: "accepted",
    stillOpen: "none",
  },
  refused: {
    made: "in-flight",
    accepted: "accepted",
    refused: "refused",
    busy: "refused",
    notSent: "refused",
    noResponse: "refused",
    stillOpen: "none",
  },
};

/** What the outcome of its own request says of an order (D11). */
export function reportKindOf(outcome: CommandOutcome): ReportKind {
  if (outcome.type === "not-sent") return "notSent";
  return outcome.type === "unknown" ? "noResponse" : outcome.type;
}

/** What the outcome of a cancel's request says of the cancel (D11, D13). */
export function cancelReportKindOf(outcome: CommandOutcome): CancelReportKind {
  if (outcome.type === "not-sent") return "notSent";
  if (outcome.type === "unknown") return "noResponse";
  if (outcome.type === "accepted") return "accepted";
  const isBusy = outcome.reason === "rateLimited" || outcome.reason === "nonceUsed";
  return isBusy ? "busy" : "refused";
}

/**
 * The status after one more report, in whatever order reports arrive: a terminal status stays, a fill is never forgotten, and
 * PENDING_NEW is older than everything.
 */
export function mergeStatus(
  known: OrderStatus | undefined,
  said: OrderStatus,
  executed: "nothing" | "some" | "all",
): OrderStatus {
  if (known !== undefined && isTerminal(known)) return known;
  if (isTerminal(said)) return said;
  if (executed === "all") return "FILLED";
  if (said === "PENDING_NEW" && known !== undefined) return known;
  if (said === "PENDING_CANCEL") return said;
  return executed === "some" ? "PARTIALLY_FILLED" : said;
}
