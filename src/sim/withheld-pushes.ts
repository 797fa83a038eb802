/** What a channel of the stream had to say and did not deliver. */
export interface WithheldPushes {
  /** As messages name it, e.g. `depth@1_2`. */
  readonly channel: string;
  /** When the first was withheld since the channel was last subscribed to or delivered anything. */
  readonly sinceMs: number;
  /** When the newest was. */
  newestMs: number;
}

/** On the wire between a bot and its venue: which channels are dead, and whether the bot has subscribed to them anew. */
export class WithheldByChannel {
  readonly #withheld = new Map<string, WithheldPushes>();
  /** Channels that the process has given up once, to subscribe to them anew. */
  readonly #givenUp = new Set<string>();

  /** Of the channels that the process has not given up once: further attempts have longer waits between them. */
  get untried(): readonly WithheldPushes[] {
    return [...this.#withheld.values()].filter(({ channel }) => !this.#givenUp.has(channel));
  }

  /** Of the user channel only events of orders count: nothing else shows the others at once. */
  withheld(channel: string, text: string, nowMs: number): void {
    if (channel.startsWith("userEvent@") && !text.includes('"topic":"ORDER"')) return;
    const known = this.#withheld.get(channel);
    if (known === undefined)
      this.#withheld.set(channel, { channel, sinceMs: nowMs, newestMs: nowMs });
    else known.newestMs = nowMs;
  }

  delivered(channel: string): void {
    this.#withheld.delete(channel);
  }

  /** A client's request reaches the venue. */
  request(text: string): void {
    const [, method] = /"method":"((?:un)?subscribe)"/.exec(text) ?? [];
    if (method === undefined) return;
    const { params } = JSON.parse(text) as { params: { channels: readonly string[] } };
    for (const channel of params.channels) {
      this.#withheld.delete(channel);
      if (method === "unsubscribe") this.#givenUp.add(channel);
    }
  }

  processStarts(): void {
    this.#withheld.clear();
    this.#givenUp.clear();
  }
}
