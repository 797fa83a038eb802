import { plainText } from "../base/plain-text.ts";
import { alertKinds, type AlertKind, isAsSevere } from "../domain/alert-codes.ts";
import type { OpenedChannel } from "../config/alerts-config.ts";

/*
 * Alerts: what a person has to know of a bot, sent to webhooks and chats, and commands from Telegram.
 *
 * `alertsOf` makes alerts of what the kernel notes, on a later turn as every observer. `startAlerts` passes them to a thread of their own,
 * so that no channel can slow the bot. There `AlertCenter` appends each one to the `Outbox` first, and one `ChannelSender` for each
 * channel groups, paces, sends and retries. `TelegramChat` turns messages of people into requests of `control/protocol.ts`, which the
 * bot's thread does as those of its local socket. The room may import everything but cli; nothing but cli imports it.
 */

/** What happened once. */
export interface Alert extends AlertKind {
  /** Unique over all runs: who gets an alert again knows it by this. */
  readonly id: string;
  readonly timeMs: number;
  readonly code: string;
  readonly text: string;
  /** Left out for the whole bot. */
  readonly strategy?: string;
  readonly marketId?: string;
  /** Of a fill, in quote token. */
  readonly worth?: number;
}

/** An alert before it has a number. */
export type NewAlert = Omit<Alert, "id" | keyof AlertKind>;

const MAX_TEXT = 400;

/** Undefined for a code that is no alert. */
export function numbered(alert: NewAlert, id: string): Alert | undefined {
  const kind = alertKinds.get(alert.code);
  return kind && { ...alert, ...kind, text: plainText(alert.text, MAX_TEXT), id };
}

/** Whether a channel gets it. */
export function isWanted(
  { event, severity, worth }: Alert,
  { events, minSeverity, fillsOver }: Pick<OpenedChannel, "events" | "minSeverity" | "fillsOver">,
): boolean {
  if (worth !== undefined && !(worth > (fillsOver ?? Number.POSITIVE_INFINITY))) return false;
  return events.includes(event) && isAsSevere(severity, minSeverity);
}

/** Alerts with the same key are equal: they may be counted instead of repeated. */
export function keyOf({ code, strategy = "", marketId = "" }: Alert): string {
  return `${code} ${strategy} ${marketId}`;
}
