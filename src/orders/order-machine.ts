import type { CommandOutcome } from "../domain/command.ts";
import { isTerminal, type OrderStatus } from "../domain/order.ts";
import type { OrderPhase } from "./order-snapshot.ts";
import type { CancelPhase } from "./tracked-order.ts";

/**
 * What we may learn about an order, from any source:
 * `accepted`: its request, a cancel of it or one of its fills proves that the venue accepted it. `refused`: a readable 4xx.
 * `notSent`: no byte was sent. `noResponse`: the request ended without a readable response, or has none in time. `open`, `over`: an event or a report
 * shows it alive or terminal. `absent`: the venue has no such order, queried by id late enough that the request can no longer
 * arrive (the tracker holds back earlier ones). `lost`: the venue acknowledged the order, and neither its lists of open orders nor a query by id show it
 * (absence.ts).
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

/** The phases, with separate ways to end. */
export type OrderStage = OrderPhase | "never-placed" | "lost";

/**
 *               accepted, open
 *   in-flight ─────────────────▶ working ──over──▶ ended
 *    │  │  │                      ▲    ▲             ▲
 *    │  │  └noResponse▶ unknown ──┘    │             │
 *    │  │                │  │ accepted,│open         │
 *    │  │                │  └───over───┼─────────────┤
 *    │  └──────over──────┼─────────────┼─────────────┤
 *    │                   │absent       │accepted,    │over
 *    │ refused,          ▼             │open         │
 *    └─notSent────▶ never-placed ──────┴─────────────┘
 *
 * A leg is `pending` until the venue places it: open leads to working, over to ended. An accepted request, or one without a
 * response, leaves it pending. If the request was refused or never arrived, the leg was never placed.
 *
 * No report moves an order that the venue ended (`ended`); `OrderRegistry.reopen` does, after a later list of open orders that shows it. `never-placed` and `lost` (reached from any live stage but in-flight by the
 * report `lost`) are only our own conclusions: if the venue shows the order after all, it counts again, with a warning.
 */
const orderMoves: Readonly<Record<OrderStage, Partial<Record<ReportKind, OrderStage>>>> = {
  "in-flight": {
    accepted: "working",
    refused: "never-placed",
    notSent: "never-placed",
    noResponse: "unknown",
    open: "working",
    over: "ended",
  },
  // The refusal of a repeat of the same bytes says nothing about the first attempt.
  unknown: {
    accepted: "working",
    open: "working",
    over: "ended",
    absent: "never-placed",
    lost: "lost",
  },
  pending: {
    refused: "never-placed",
    notSent: "never-placed",
    open: "working",
    over: "ended",
    absent: "never-placed",
    lost: "lost",
  },
  // An event is more reliable than a response after it, and an acknowledged order that is absent is queried again.
  working: { over: "ended", lost: "lost" },
  ended: {},
  "never-placed": { accepted: "working", open: "working", over: "ended" },
  lost: { accepted: "working", open: "working", over: "ended" },
};

/** Where a report leads; a report without an arrow leaves the stage as it is. */
export function nextStage(stage: OrderStage, report: ReportKind): OrderStage {
  return orderMoves[stage][report] ?? stage;
}

/** The least wait after the answer to a cancel, or to a modify for its original, while no end is known: either may be lost, or it came too early. */
export const CANCEL_EFFECT_MS = 1_000;

/**
 * What we may learn about a cancel. `made`: a cancel command exists. `busy`: refused for a reason that has nothing to do with the order
 * (`rateLimited`, `nonceUsed`), so it may be sent again. `overdue`: it has had no answer for so long, or was refused so long ago, that it is
 * sent again; about one that was accepted the venue is asked first. `stillOpen`: the order proved open after the cancel's request had
 * ended, so another cancel may be made (canceling twice does no harm).
 */
export const cancelReportKinds = [
  "made",
  "accepted",
  "refused",
  "busy",
  "notSent",
  "noResponse",
  "overdue",
  "stillOpen",
] as const;
export type CancelReportKind = (typeof cancelReportKinds)[number];

/**
 *          made               accepted
 *   none ────────▶ in-flight ──────────▶ accepted
 *    ▲ ▲   notSent, │  │ └noResponse▶ unknown ──overdue──▶ none
 *    │ └busy,overdue┘  └───refused──▶ refused
 *    └──stillOpen── accepted, unknown, refused          (made leads to in-flight from everywhere, overdue from refused to none)
 */
const cancelMoves: Readonly<Record<CancelPhase, Partial<Record<CancelReportKind, CancelPhase>>>> = {
  none: {},
  "in-flight": {
    refused: "refused",
    busy: "none",
    notSent: "none",
    noResponse: "unknown",
    overdue: "none",
  },
  unknown: { overdue: "none", stillOpen: "none" },
  accepted: { stillOpen: "none" },
  refused: { overdue: "none", stillOpen: "none" },
};

export function nextCancelPhase(phase: CancelPhase, report: CancelReportKind): CancelPhase {
  if (report === "made") return "in-flight";
  return report === "accepted" ? "accepted" : (cancelMoves[phase][report] ?? phase);
}

/** What the outcome of its own request says about an order (D11). */
export function reportKindOf(outcome: CommandOutcome): ReportKind {
  if (outcome.type === "not-sent") return "notSent";
  return outcome.type === "unknown" ? "noResponse" : outcome.type;
}

/** What the outcome of a cancel's request says about the cancel (D11, D13). */
export function cancelReportKindOf(outcome: CommandOutcome): CancelReportKind {
  if (outcome.type === "not-sent") return "notSent";
  if (outcome.type === "unknown") return "noResponse";
  if (outcome.type === "accepted") return "accepted";
  const isBusy = outcome.reason === "rateLimited" || outcome.reason === "nonceUsed";
  return isBusy ? "busy" : "refused";
}

/**
 * The status after one more report; reports may arrive in any order. A terminal status stays, a fill is never forgotten, and
 * PENDING_NEW is older than every other status.
 */
export function mergeStatus(
  known: OrderStatus | undefined,
  reported: OrderStatus,
  executed: "nothing" | "some" | "all",
): OrderStatus {
  if (known !== undefined && isTerminal(known)) return known;
  if (isTerminal(reported)) return reported;
  if (executed === "all") return "FILLED";
  if (reported === "PENDING_NEW" && known !== undefined) return known;
  if (reported === "PENDING_CANCEL") return reported;
  return executed === "some" ? "PARTIALLY_FILLED" : reported;
}
