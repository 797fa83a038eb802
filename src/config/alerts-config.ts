import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { isLoopback } from "../base/loopback.ts";
import { type AlertEvent, alertEvents, alertSeverities } from "../domain/alert-codes.ts";
import { amount, duration } from "../domain/setting.ts";
import { readSecret } from "../platform/key-source.ts";
import type { PasswordPlace } from "../ports/key-source.ts";
import { key, quietly } from "./bot-key.ts";
import type { YamlSource } from "./parse-yaml.ts";
import type { ConfigPath } from "./problem.ts";
import { secretPlace } from "./secret-place.ts";
import { absoluteSecret } from "./signer-place.ts";

/** `alerts` of a bot's YAML. A dry run and a bot on paper send none. */
const running = quietly({ modes: ["run"] });

/** Codes of these are many and seldom need a person. */
const seldom: ReadonlySet<AlertEvent> = new Set(["order", "venue"]);
const usualEvents = alertEvents.filter((event) => !seldom.has(event));

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "is not a time of day, write 22:00")
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)));

const zone = z.string().refine(isZone, {
  error: "is not a time zone, write one like Europe/Berlin or UTC",
});

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const common = {
  name: key(
    z
      .string()
      .regex(/^[\w.-]{1,40}$/, "must have 1 to 40 letters, digits, points, dashes and underscores")
      .optional(),
    running,
    "Names the channel in the log; left out: its type.",
  ),
  events: key(
    z.array(z.enum(alertEvents)).min(1).default(usualEvents),
    running,
    "What the channel gets; docs/alerts.md has the codes of each.",
  ),
  minSeverity: key(
    z.enum(alertSeverities).default("info"),
    running,
    "The least severe alerts that it gets.",
  ),
  fillsOver: key(
    amount({ zero: true })
      .transform((value) => value.toNumber())
      .optional(),
    running,
    "Fills worth more than this in the quote token of their market are alerts; left out: none.",
  ),
  quietHours: z
    .strictObject({
      from: key(
        timeOfDay,
        running,
        "From this time of day on only critical alerts are sent, such as `22:00`.",
      ),
      to: key(timeOfDay, running, "Then the others follow in one message."),
      zone: key(zone.default("UTC"), running, "Time zone of the two."),
    })
    .refine(({ from, to }) => from !== to, {
      path: ["to"],
      message: "must differ from quietHours.from",
    })
    .optional(),
  group: key(
    duration({ max: 3_600_000 }).prefault("30s"),
    running,
    "Equal alerts that come this soon after one that was sent are counted and follow as one.",
  ),
  perMinute: key(
    z.int().min(1).max(1_000).default(20),
    running,
    "Most messages a minute; alerts that wait for it share a message.",
  ),
};

const byUrl = <Type extends string>(type: Type, about: string) =>
  z.strictObject({
    type: key(z.literal(type), running, about),
    url: secretPlace(running, "webhook's address"),
    ...common,
  });

const telegramId = z.int().min(-1e15).max(1e15);

const telegram = z.strictObject({
  type: key(z.literal("telegram"), running, "`telegram`: a Telegram bot."),
  token: secretPlace(running, "bot's token"),
  chat: key(telegramId, running, "Chat that gets the alerts, by its id."),
  allow: key(
    z.array(telegramId).max(100).default([]),
    running,
    "Ids of the users who may command the bot from Telegram, and of chats of which everybody may; left out: nobody.",
  ),
  api: key(
    z
      .string()
      .refine((address) => addressFault(address) === undefined, {
        error: "must be an address that begins with https://, or one of this machine",
      })
      .default("https://api.telegram.org"),
    running,
    "Address of the Telegram Bot API, for a server of your own.",
  ),
  ...common,
});

const channel = z.discriminatedUnion("type", [
  byUrl(
    "webhook",
    "Where alerts go: `webhook` gets them as JSON, `slack`, `discord` and `telegram` as text.",
  ),
  byUrl("slack", "`slack`: an incoming webhook."),
  byUrl("discord", "`discord`: a channel's webhook."),
  telegram,
]);

export const alertsSchema = z
  .array(channel)
  .max(20)
  .superRefine((channels, context) => {
    const names = channels.map(nameOf);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `another channel is called ${name}: give each a name of its own`;
      context.addIssue({ code: "custom", path: [index, "name"], message });
    }
  })
  .default([]);

export type WrittenAlerts = z.output<typeof alertsSchema>;
type WrittenChannel = WrittenAlerts[number];

/** A channel without its secret, which lies at `secret`. */
export type AlertChannel = WrittenChannel extends infer Each
  ? Each extends WrittenChannel
    ? Omit<Each, "url" | "token" | "name"> & {
        readonly name: string;
        readonly secret: PasswordPlace;
      }
    : never
  : never;

/** A channel with its webhook's address, or the Telegram bot's token. */
export type OpenedChannel = AlertChannel & { readonly address: string };

function nameOf({ name, type }: WrittenChannel): string {
  return name ?? type;
}

/** With paths made absolute. */
export function alertChannels(source: YamlSource, written: WrittenAlerts): readonly AlertChannel[] {
  return written.map((one, index) => {
    const name = nameOf(one);
    const secret = (at: "url" | "token", place: PasswordPlace): PasswordPlace =>
      absoluteSecret(source, place, ["alerts", index, at]);
    if (one.type === "telegram") {
      const { token, ...rest } = one;
      return { ...rest, name, secret: secret("token", token) };
    }
    const { url, ...rest } = one;
    return { ...rest, name, secret: secret("url", url) };
  });
}

/** Reads the channel's secret. Throws TouchlineError `ALERT_SECRET`, which never has it. */
export function openChannel(
  channel: AlertChannel,
  env: Readonly<Record<string, string | undefined>>,
): OpenedChannel {
  const { name, type, secret } = channel;
  const what = type === "telegram" ? "token" : "address";
  const address = readSecret(secret, { code: "ALERT_SECRET", what }, env);
  const fault = type === "telegram" ? tokenFault(address) : addressFault(address);
  if (fault === undefined) return { ...channel, address };
  throw new TouchlineError("ALERT_SECRET", `the ${what} of the alert channel ${name} ${fault}`, {
    hint: "Copy it again from where it was made.",
  });
}

function addressFault(address: string): string | undefined {
  const { protocol, hostname } = URL.parse(address) ?? {};
  if (protocol === undefined || hostname === undefined) return "is not a web address";
  const isProtected = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isProtected ? undefined : "is not encrypted: it must begin with https://";
}

function tokenFault(token: string): string | undefined {
  return /^\d+:[\w-]{10,}$/.test(token)
    ? undefined
    : "is not that of a Telegram bot, such as 123:ABC…";
}

/** What is wrong with the secrets of the channels, with the path of each. */
export function alertMistakes(
  channels: readonly AlertChannel[],
  env: Readonly<Record<string, string | undefined>>,
): readonly { readonly at: ConfigPath; readonly message: string }[] {
  return channels.flatMap((channel, index) => {
    try {
      openChannel(channel, env);
      return [];
    } catch (thrown) {
      if (!(thrown instanceof TouchlineError)) throw thrown;
      const at = ["alerts", index, channel.type === "telegram" ? "token" : "url"];
      return [{ at, message: thrown.message }];
    }
  });
}
