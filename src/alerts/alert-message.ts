import type { AlertSeverity } from "../domain/alert-codes.ts";
import { nodeCompression } from "../platform/compression.ts";
import { type Alert, keyOf } from "./alert.ts";

/** Equal alerts, at least one, oldest first. */
export type AlertGroup = readonly [Alert, ...Alert[]];

/** What one request sends. */
export interface AlertMessage {
  /** Follows from the content: the same message has it again, also after a restart, and no other one. */
  readonly id: string;
  readonly bot: string;
  readonly groups: readonly AlertGroup[];
}

/** Longest text of a message: Discord takes 2,000 characters. */
const MAX_LENGTH = 1_900;

/** In the order of their first alerts. */
export function grouped(alerts: readonly Alert[]): readonly AlertGroup[] {
  const groups = new Map<string, [Alert, ...Alert[]]>();
  for (const alert of alerts) {
    const known = groups.get(keyOf(alert));
    if (known === undefined) groups.set(keyOf(alert), [alert]);
    else known.push(alert);
  }
  return [...groups.values()];
}

/** As many of the groups as one message takes, the first one always. */
export function messageOf(
  bot: string,
  [first, ...groups]: readonly [AlertGroup, ...AlertGroup[]],
): AlertMessage {
  let message = withId(bot, [first]);
  for (const group of groups) {
    const longer = withId(bot, [...message.groups, group]);
    if (messageText(longer).length > MAX_LENGTH) break;
    message = longer;
  }
  return message;
}

function withId(bot: string, groups: readonly AlertGroup[]): AlertMessage {
  const content = new TextEncoder().encode(JSON.stringify([bot, groups]));
  return { id: nodeCompression.sha256(content).slice(0, 16), bot, groups };
}

/** For people: a line for each group, and the id at the end. */
export function messageText({ id, bot, groups }: AlertMessage): string {
  return [bot, ...groups.map(lineOf), `#${id}`].join("\n");
}

const marks: Readonly<Record<AlertSeverity, string>> = {
  info: "info",
  warning: "WARNING",
  critical: "CRITICAL",
};

function lineOf(group: AlertGroup): string {
  const [first] = group;
  const { code, severity, strategy, marketId, text, timeMs } = group.at(-1) ?? first;
  const times = group.length === 1 ? "" : `${group.length} × `;
  const of = [strategy, marketId].filter((part) => part !== undefined).join(" ");
  const when = new Date(timeMs).toISOString().slice(0, 19).replace("T", " ");
  return `${marks[severity]} ${times}${code}${of === "" ? "" : ` ${of}`}: ${text} (${when} UTC)`;
}

/** For programs: one object for each group, with the ids of all its alerts. */
export function messageJson({ id, bot, groups }: AlertMessage): string {
  const alerts = groups.map((group) => {
    const [first] = group;
    const { code, event, severity, strategy, marketId, text, timeMs } = group.at(-1) ?? first;
    return {
      ids: group.map((one) => one.id),
      count: group.length,
      code,
      event,
      severity,
      strategy: strategy ?? null,
      market: marketId ?? null,
      text,
      firstMs: first.timeMs,
      lastMs: timeMs,
    };
  });
  return JSON.stringify({ id, bot, alerts });
}
