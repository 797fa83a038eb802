import type { OpenedChannel } from "../config/alerts-config.ts";
import type { Store } from "../ports/store.ts";
import { settlesWithin } from "../runtime/settles-within.ts";
import type { Timer } from "../ports/clock.ts";
import { toHex } from "../base/hex.ts";
import { isWanted, type NewAlert, numbered } from "./alert.ts";
import { ChannelSender } from "./channel-sender.ts";
import { Outbox } from "./outbox.ts";
import { type ChatPorts, TelegramChat } from "./telegram-chat.ts";

export interface CenterOptions extends ChatPorts {
  readonly store: Store;
  /** Folder of the outbox. The caller has locked it. */
  readonly folder: string;
  /** Names the bot in messages. */
  readonly bot: string;
  readonly channels: readonly OpenedChannel[];
  /** The bot's own alerts, not those of its guard: they tell that a run was killed, and chats command. */
  readonly isBot: boolean;
}

/** All channels of a bot, or of its guard. Chats are read from the start on. */
export class AlertCenter {
  readonly #outbox: Outbox;
  readonly #senders: readonly ChannelSender[];
  readonly #run: string;
  readonly #chats: readonly TelegramChat[];
  readonly #timer: Timer;
  #count = 0;

  constructor({ store, folder, bot, channels, isBot, ...ports }: CenterOptions) {
    const { clock, log, timer, randomBytes } = ports;
    this.#run = toHex(randomBytes(4)).slice(2);
    this.#timer = timer;
    this.#outbox = new Outbox(store, `${folder}/outbox.ndjson`, {
      channels: channels.map(({ name }) => name),
      failed: (reason) =>
        log.warn(
          { code: "ALERTS_NOT_KEPT", reason },
          "alerts that wait would not survive the process",
        ),
      lost: (channel) =>
        log.warn({ code: "ALERTS_LOST", channel }, "too many alerts wait: the oldest are given up"),
    });
    this.#senders = channels.map((channel) => new ChannelSender(bot, channel, this.#outbox, ports));
    if (this.#outbox.isRunOpen) {
      const text = "the run before was killed, or its machine went down; look at its orders";
      this.tell({ code: "BOT_KILLED", timeMs: clock.nowMs(), text });
    }
    if (isBot) this.#outbox.run(true);
    this.#chats = channels.flatMap((channel) =>
      isBot && channel.type === "telegram" && channel.allow.length > 0
        ? [new TelegramChat(channel, ports)]
        : [],
    );
    for (const chat of this.#chats) chat.start();
    void this.idle();
  }

  tell(alert: NewAlert): void {
    this.#count += 1;
    const kept = numbered(alert, `${this.#run}-${this.#count}`);
    if (kept === undefined) return;
    const senders = this.#senders.filter(({ channel }) => isWanted(kept, channel));
    if (senders.length === 0) return;
    this.#outbox.add(
      kept,
      senders.map(({ channel }) => channel.name),
    );
    for (const sender of senders) void sender.wake();
  }

  /** Sends what may be sent, for `limitMs` at most; the next run sends the rest. */
  async close(limitMs: number): Promise<void> {
    for (const chat of this.#chats) chat.stop();
    this.#outbox.run(false);
    await settlesWithin(limitMs, this.idle(), this.#timer);
    for (const sender of this.#senders) sender.close();
    this.#outbox.close();
  }

  /** Resolves once what may be sent now was sent, or has failed. */
  async idle(): Promise<void> {
    await Promise.all(this.#senders.map((sender) => sender.wake()));
  }
}
