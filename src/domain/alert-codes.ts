/** Mildest first. */
export const alertSeverities = ["info", "warning", "critical"] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

export function isAsSevere(severity: AlertSeverity, least: AlertSeverity): boolean {
  return alertSeverities.indexOf(severity) >= alertSeverities.indexOf(least);
}

/** What alerts are about, as a channel's `events` names it, each with its codes and how severe they are: the one list of codes. */
const codes = {
  run: {
    BOT_STARTED: "info",
    BOT_STOPPED: "info",
    BOT_ENDED: "critical",
    BOT_KILLED: "critical",
    BOT_NOT_STARTED: "critical",
    ALERT_TEST: "info",
  },
  operator: {
    OPERATOR_PAUSE: "warning",
    OPERATOR_RESUME: "warning",
    OPERATOR_REDUCE_ONLY: "warning",
    OPERATOR_HALT: "critical",
    OPERATOR_FLATTEN: "warning",
    OPERATOR_STOP: "warning",
    OPERATOR_CANCEL: "info",
    OPERATOR_BOOK: "info",
    OPERATOR_TUNE: "info",
  },
  risk: {
    RISK_NORMAL: "info",
    RISK_WARN: "warning",
    RISK_WIDEN: "warning",
    RISK_REDUCE_ONLY: "critical",
    RISK_PAUSE: "critical",
    RISK_HALT: "critical",
    RISK_NOT_MEASURED: "critical",
    LOSS_COUNTED_ANEW: "warning",
  },
  market: {
    MARKET_LEFT: "critical",
    MARKET_CHANGED: "warning",
    FILL_FAR_FROM_BOOK: "warning",
    FILL_IMPOSSIBLE: "warning",
    FEE_IMPOSSIBLE: "warning",
    ORDER_IMPOSSIBLE: "warning",
    BOOK_IMPOSSIBLE: "warning",
    BALANCES_OLD: "warning",
  },
  fill: { FILL_LARGE: "info" },
  account: {
    BALANCE_DRIFT: "critical",
    BALANCE_CHANGED: "warning",
    ACCOUNT_DEPOSIT: "info",
    ACCOUNT_WITHDRAW: "warning",
    ACCOUNT_TRANSFER: "warning",
    ANOTHER_BOT: "critical",
    FOREIGN_ORDERS: "info",
    FOREIGN_ORDER_PLACED: "warning",
  },
  disk: { JOURNAL_FAILED: "critical", JOURNAL_TAIL_DAMAGED: "warning", ORDERS_NOT_SENT: "warning" },
  session: {
    SESSION_ENDS: "warning",
    SESSION_NOT_RENEWED: "warning",
    SESSION_STOPS: "critical",
    SIGNATURE_REFUSED: "critical",
  },
  source: { SOURCE_FAILED: "warning", SOURCE_IMPOSSIBLE: "warning", SOURCE_JUMP: "warning" },
  rate: { RATE_LIMITED: "warning", RATE_SHORT: "warning" },
  strategy: {
    STRATEGY_FAILED: "critical",
    STRATEGY_SLOW: "warning",
    PARAMS_REFUSED: "warning",
    STATE_NOT_USED: "warning",
  },
  order: {
    CANCEL_WITHOUT_EFFECT: "info",
    MODIFY_DIFFERS: "warning",
    MODIFY_OFF: "warning",
    NEVER_PLACED: "info",
    ORDERS_ADOPTED: "info",
    ORDER_APPEARED: "warning",
    ORDER_CONTRADICTION: "warning",
    ORDER_LOST: "warning",
    ORDER_RETURNED: "warning",
    ORDER_VANISHED: "warning",
    ORPHANED_FILL: "warning",
    ORPHANED_ORDERS: "warning",
    STOP_TURNED: "warning",
  },
  venue: {
    BOOK_MISMATCH: "info",
    BOOK_UNAUDITED: "info",
    CHANNEL_BEHIND: "info",
    CLOCK_OFFSET: "info",
    CLOCK_STEPPED: "warning",
    HISTORY_MISSING: "info",
    HISTORY_SHORT: "info",
    PROBE_UNREADABLE: "info",
    READ_FAILED: "info",
    STREAM_CLOSED: "info",
    VENUE_CLOCK_BACK: "warning",
    VENUE_TIME_IN_DOUBT: "info",
  },
  guard: {
    BOT_SILENT: "critical",
    GUARD_CANCELED: "critical",
    GUARD_LOST: "warning",
    GUARD_CONNECTED: "info",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, AlertSeverity>>>>;

export type AlertEvent = keyof typeof codes;
export const alertEvents = Object.keys(codes) as readonly AlertEvent[];

export interface AlertKind {
  readonly event: AlertEvent;
  readonly severity: AlertSeverity;
}

/** Every code that is sent as an alert. */
export const alertKinds: ReadonlyMap<string, AlertKind> = new Map(
  Object.entries(codes).flatMap(([event, its]) =>
    Object.entries(its).map(([code, severity]) => [code, { event: event as AlertEvent, severity }]),
  ),
);
