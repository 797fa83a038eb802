import { TransportError } from "../base/error.ts";
import { plainText } from "../base/plain-text.ts";
import type { OpenedChannel } from "../config/alerts-config.ts";
import { jsonOf } from "../base/json-of.ts";
import type { Http, HttpResponse } from "../ports/http.ts";
import { type AlertMessage, messageJson, messageText } from "./alert-message.ts";

/** How a request to a channel ended. */
export type SendOutcome =
  | { readonly type: "sent"; readonly body: unknown; readonly dateMs: number }
  /** This message will never be taken. */
  | { readonly type: "refused"; readonly reason: string }
  /** It may be taken later. `reason` never has the channel's secret. */
  | { readonly type: "failed"; readonly reason: string; readonly retryAfterMs: number };

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;
/** A channel is asked again after this long, however much longer it asks to wait. */
const RETRY_AFTER_MAX_MS = 3_600_000;
/** Statuses that say that the message itself is wrong. */
const unusable: ReadonlySet<number> = new Set([400, 413, 422]);

interface Post {
  readonly url: string;
  readonly body: string;
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of each kind of channel. */
function postOf(channel: OpenedChannel, message: AlertMessage): Post {
  const { address: url } = channel;
  const text = messageText(message);
  switch (channel.type) {
    case "webhook":
      return { url, body: messageJson(message), headers: { "idempotency-key": message.id } };
    case "slack": {
      const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
      return { url, body: JSON.stringify({ text: escaped }) };
    }
    case "discord":
      return { url, body: JSON.stringify({ content: text, allowed_mentions: { parse: [] } }) };
    case "telegram":
      return { url: telegramUrl(channel, "sendMessage"), body: telegramText(channel.chat, text) };
  }
}

export type TelegramChannel = Extract<OpenedChannel, { type: "telegram" }>;

export function telegramUrl({ api, address }: TelegramChannel, method: string): string {
  return `${api.replace(/\/$/, "")}/bot${address}/${method}`;
}

/** The body of `sendMessage`: plain text, so that nothing in it is a format. */
export function telegramText(chat: number, text: string): string {
  return JSON.stringify({ chat_id: chat, text, link_preview_options: { is_disabled: true } });
}

/** Never rejects. */
export function sendMessage(
  http: Pick<Http, "request">,
  channel: OpenedChannel,
  message: AlertMessage,
): Promise<SendOutcome> {
  return postTo(http, channel, postOf(channel, message));
}

/** Never rejects. */
export async function postTo(
  http: Pick<Http, "request">,
  channel: OpenedChannel,
  { url, body, headers, timeoutMs = TIMEOUT_MS }: Post,
): Promise<SendOutcome> {
  try {
    const response = await http.request({
      method: "POST",
      url,
      headers: { "content-type": "application/json", ...headers },
      body,
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
    return outcomeOf(response, channel);
  } catch (thrown) {
    return { type: "failed", reason: unansweredText(thrown), retryAfterMs: 0 };
  }
}

/** Why no response came. The error's own text has the address, which is a secret. */
export function unansweredText(thrown: unknown): string {
  return `it did not answer (${thrown instanceof TransportError ? thrown.code : "a bug"})`;
}

function outcomeOf(response: HttpResponse, channel: OpenedChannel): SendOutcome {
  const { status, headers } = response;
  const body = jsonOf(new TextDecoder().decode(response.body));
  // By the clock of the other side; not a number where it does not say.
  const dateMs = Date.parse(headers["date"] ?? "");
  if (status >= 200 && status < 300) return { type: "sent", body, dateMs };
  const said = channel.type === "telegram" ? fieldOf(body, "description") : undefined;
  const reason = `it answered ${status}${typeof said === "string" ? `: ${plainText(said, 100).replaceAll(channel.address, "…")}` : ""}`;
  if (unusable.has(status)) return { type: "refused", reason };
  return { type: "failed", reason, retryAfterMs: retryAfterMs(response, body) };
}

/** Seconds, of the header, of Discord or of Telegram; 0 when none is named. A date counts as none. */
function retryAfterMs({ headers }: HttpResponse, body: unknown): number {
  const named = [
    headers["retry-after"],
    fieldOf(body, "retry_after"),
    fieldOf(fieldOf(body, "parameters"), "retry_after"),
  ].map(Number);
  const seconds = Math.max(0, ...named.filter((value) => Number.isFinite(value)));
  return Math.min(seconds * 1000, RETRY_AFTER_MAX_MS);
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
