import { z } from "zod";
import { plainText } from "../base/plain-text.ts";
import { jsonOf } from "../base/json-of.ts";
import { controlResponse } from "../control/protocol.ts";
import { responseTexts } from "../control/response-texts.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { Backoff } from "../gateway/backoff.ts";
import type { TimerHandle } from "../ports/clock.ts";
import {
  fieldOf,
  postTo,
  type SendOutcome,
  type TelegramChannel,
  telegramText,
  telegramUrl,
} from "./channel-request.ts";
import type { SenderPorts } from "./channel-sender.ts";
import { chatCommand, helpText, type ChatRequest } from "./chat-command.ts";

export interface ChatPorts extends SenderPorts {
  readonly randomBytes: (count: number) => Uint8Array;
  /** Does what a request of `control/protocol.ts` asks for; resolves with the response. */
  readonly command: (line: string, by: CommandOrigin) => Promise<string>;
}

/** Telegram holds a request for updates open for so long. */
const POLL_SEC = 50;
const POLL_MS = 60_000;
/** Updates of one request, and commands that are carried out at the same time. */
const MAX_AT_ONCE = 10;
const CONFIRM_MS = 60_000;
/** A command that waited longer, while Telegram could not be reached, is not carried out. */
const MAX_AGE_MS = 120_000;
const MAX_STRANGERS = 100;
const MAX_REPLY = 4_000;
const timing = { backoffMs: 1_000, backoffMaxMs: 60_000 };

const chatMessage = z.object({
  from: z.object({ id: z.int() }),
  chat: z.object({ id: z.int() }),
  /** Seconds. */
  date: z.number(),
  text: z.string(),
});
type ChatMessage = z.infer<typeof chatMessage>;

const updates = z.object({
  result: z.array(z.object({ update_id: z.int(), message: z.unknown() })),
});

/** An action that waits for its confirmation. */
interface Pending {
  readonly code: string;
  readonly untilMs: number;
  readonly request: ChatRequest;
}

/**
 * Commands to the bot from Telegram. Only users and chats that are allowed are answered. Risky actions ask for a code back, and what was
 * written before the start, or long ago, is not done.
 */
export class TelegramChat {
  readonly #channel: TelegramChannel;
  readonly #ports: ChatPorts;
  readonly #backoff = new Backoff(timing);
  /** By user and chat. */
  readonly #pending = new Map<string, Pending>();
  readonly #strangers = new Set<number>();
  #underWay = 0;
  #name = "";
  /** Undefined until what was written before the start is passed over. */
  #offset: number | undefined;
  #isFailing = false;
  #isOver = false;
  #wait: TimerHandle | undefined;

  constructor(channel: TelegramChannel, ports: ChatPorts) {
    this.#channel = channel;
    this.#ports = ports;
  }

  start(): void {
    void this.#poll();
  }

  stop(): void {
    this.#isOver = true;
    this.#wait?.cancel();
  }

  async #poll(): Promise<void> {
    while (!this.#isOver) {
      const outcome = this.#name === "" ? await this.#introduce() : await this.#receive();
      if (outcome.type === "sent") this.#worked();
      else await this.#failed(outcome);
    }
  }

  /** Learns the bot's own name: in a group, commands may be for another bot. */
  async #introduce(): Promise<SendOutcome> {
    const outcome = await this.#ask("getMe", {});
    if (outcome.type !== "sent") return outcome;
    const name = fieldOf(fieldOf(outcome.body, "result"), "username");
    if (typeof name !== "string") return unreadable;
    this.#name = name.toLowerCase();
    return outcome;
  }

  async #receive(): Promise<SendOutcome> {
    const isFirst = this.#offset === undefined;
    const outcome = await this.#ask("getUpdates", {
      offset: this.#offset ?? -1,
      timeout: isFirst ? 0 : POLL_SEC,
      limit: MAX_AT_ONCE,
      allowed_updates: ["message"],
    });
    if (outcome.type !== "sent" || this.#isOver) return outcome;
    const read = updates.safeParse(outcome.body);
    if (!read.success) return unreadable;
    const { dateMs } = outcome;
    const nowMs = Number.isNaN(dateMs) ? this.#ports.clock.nowMs() : dateMs;
    const from = this.#offset ?? 0;
    this.#offset = from;
    for (const { update_id: id, message } of read.data.result) {
      // One that comes again was done before.
      if (id < from) continue;
      this.#offset = Math.max(this.#offset, id + 1);
      const { data, success } = chatMessage.safeParse(message);
      if (!isFirst && success) void this.#take(data, nowMs);
    }
    return outcome;
  }

  async #take(message: ChatMessage, nowMs: number): Promise<void> {
    const { chat, date } = message;
    const known = this.#isAllowed(message);
    const command = chatCommand(message.text, this.#name);
    if (!known || command === undefined) return;
    if (nowMs - date * 1000 > MAX_AGE_MS) {
      return this.#reply(chat.id, "This came too late and was not done: write it again.");
    }
    if (this.#underWay >= MAX_AT_ONCE) return this.#reply(chat.id, "Too many commands at once.");
    this.#underWay += 1;
    try {
      await this.#reply(chat.id, await this.#answer(command, message));
    } catch (thrown) {
      this.#ports.log.error({ err: thrown }, "a command from Telegram failed");
      await this.#reply(chat.id, "This failed; the bot's log says why.");
    } finally {
      this.#underWay -= 1;
    }
  }

  /** An allowed user in private or in a chat that gets the alerts anyway; anybody in a chat that is allowed. */
  #isAllowed({ from, chat }: ChatMessage): boolean {
    const { allow, chat: own } = this.#channel;
    if (allow.includes(chat.id)) return true;
    if (allow.includes(from.id) && (chat.id === from.id || chat.id === own)) return true;
    if (!this.#strangers.has(from.id) && this.#strangers.size < MAX_STRANGERS) {
      this.#strangers.add(from.id);
      const fields = { code: "TELEGRAM_STRANGER", user: from.id, chat: chat.id };
      this.#ports.log.warn(fields, "a Telegram user who is not allowed wrote to the bot");
    }
    return false;
  }

  async #answer(
    command: NonNullable<ReturnType<typeof chatCommand>>,
    { from, chat }: ChatMessage,
  ): Promise<string> {
    const place = `${from.id} ${chat.id}`;
    const pending = this.#pending.get(place);
    this.#pending.delete(place);
    if (command.type === "help") return helpText(command.unknown);
    if (command.type === "request") {
      if (!command.confirms) return this.#carryOut(command, { from, chat });
      const code = this.#newCode();
      const untilMs = this.#nowMs + CONFIRM_MS;
      this.#pending.set(place, { code, untilMs, request: command });
      return `${command.title}? Write /confirm ${code} within ${CONFIRM_MS / 1000} s.`;
    }
    if (pending === undefined || this.#nowMs > pending.untilMs) return "Nothing waits for this.";
    if (pending.code !== command.code) return "That is not the code: nothing was done.";
    return this.#carryOut(pending.request, { from, chat });
  }

  async #carryOut(
    { line, title, show }: ChatRequest,
    { from, chat }: Pick<ChatMessage, "from" | "chat">,
  ): Promise<string> {
    const by = { who: `telegram:${from.id}`, from: `chat ${chat.id}` };
    const response = controlResponse.parse(jsonOf(await this.#ports.command(line, by)));
    if (response.ok) return show(response);
    return `${title}: not done, or not all of it: ${responseTexts(response).join("; ")}`;
  }

  #newCode(): string {
    const [high = 0, low = 0] = this.#ports.randomBytes(2);
    return String((high * 256 + low) % 10_000).padStart(4, "0");
  }

  get #nowMs(): number {
    return this.#ports.clock.monotonicUs() / 1000;
  }

  async #reply(chat: number, text: string): Promise<void> {
    const [url, body] = [telegramUrl(this.#channel, "sendMessage"), telegramText(chat, cut(text))];
    const outcome = await postTo(this.#ports.http, this.#channel, { url, body });
    if (outcome.type === "sent") return;
    const { log } = this.#ports;
    log.warn({ code: "TELEGRAM_FAILED", reason: outcome.reason }, "a reply was not delivered");
  }

  #ask(method: string, body: object): Promise<SendOutcome> {
    const url = telegramUrl(this.#channel, method);
    const post = { url, body: JSON.stringify(body), timeoutMs: POLL_MS };
    return postTo(this.#ports.http, this.#channel, post);
  }

  #worked(): void {
    if (this.#isFailing) this.#ports.log.info({}, "Telegram can be read again");
    this.#isFailing = false;
    this.#backoff.succeeded();
  }

  async #failed(outcome: Exclude<SendOutcome, { type: "sent" }>): Promise<void> {
    const { reason } = outcome;
    const { log, timer } = this.#ports;
    if (this.#isOver) return;
    const fields = { code: "TELEGRAM_FAILED", reason };
    if (!this.#isFailing) log.warn(fields, "commands from Telegram cannot be read");
    this.#isFailing = true;
    const retryMs = outcome.type === "failed" ? outcome.retryAfterMs : 0;
    await new Promise<void>((resolve) => {
      this.#wait = timer.after(Math.max(this.#backoff.failed(), retryMs), resolve);
    });
  }
}

const unreadable = {
  type: "failed",
  reason: "its response is not readable",
  retryAfterMs: 0,
} as const;

/** Each line without characters that do not show. */
function cut(text: string): string {
  const shown = text
    .split("\n")
    .map((line) => plainText(line, MAX_REPLY))
    .join("\n");
  return shown.length > MAX_REPLY ? `${shown.slice(0, MAX_REPLY)}…` : shown;
}
