import { z } from "zod";
import { errorText } from "../base/error-text.ts";
import { isAsSevere, alertSeverities } from "../domain/alert-codes.ts";
import type { AppendFile, Store } from "../ports/store.ts";
import { jsonOf } from "../base/json-of.ts";
import type { Alert } from "./alert.ts";

/** Most alerts that wait for one channel. Then the oldest of the least severe makes room. */
const MAX_WAITING = 500;
/** The file is rewritten beyond this size, and twice what is left of it. */
const COMPACT_BYTES = 1_000_000;

const record = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("alert"),
    alert: z.custom<Alert>(isAlert),
    channels: z.array(z.string()),
  }),
  /** Sent, or given up. */
  z.object({ type: z.literal("done"), channel: z.string(), ids: z.array(z.string()) }),
  /** When an alert of this key was last sent. */
  z.object({ type: z.literal("sent"), channel: z.string(), key: z.string(), atMs: z.number() }),
  /** A run has begun, or has ended in order. */
  z.object({ type: z.literal("run"), isOpen: z.boolean() }),
]);
type OutboxRecord = z.infer<typeof record>;

/** What was written by this program is only looked at for damage. */
function isAlert(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value && "code" in value;
}

export interface OutboxOptions {
  /** What waits for others is forgotten. */
  readonly channels: readonly string[];
  /** The disk takes nothing; called once. */
  failed(reason: string): void;
  /** An alert made room for another; called once. */
  lost(channel: string): void;
}

/**
 * Alerts that are not sent yet, for each channel, in one file that a killed process leaves to the next run: a line is written before
 * its alert is sent. When the disk takes nothing, alerts wait in memory alone.
 */
export class Outbox {
  readonly #store: Store;
  readonly #path: string;
  readonly #told: OutboxOptions;
  readonly #waiting = new Map<string, Alert[]>();
  /** By channel and key. */
  readonly #sentMs = new Map<string, number>();
  #file: AppendFile | undefined;
  #compactAt = COMPACT_BYTES;
  #isOpen = false;
  #hasFailed = false;
  #hasLost = false;

  constructor(store: Store, path: string, options: OutboxOptions) {
    this.#store = store;
    this.#path = path;
    this.#told = options;
    for (const channel of options.channels) this.#waiting.set(channel, []);
    this.#try(() => {
      const bytes = store.read(path);
      for (const line of new TextDecoder().decode(bytes).split("\n")) this.#take(line);
      this.#rewrite();
    });
  }

  /** The run before has begun and never ended in order. */
  get isRunOpen(): boolean {
    return this.#isOpen;
  }

  /** What a channel was not sent yet, oldest first. */
  waiting(channel: string): readonly Alert[] {
    return this.#waiting.get(channel) ?? [];
  }

  add(alert: Alert, channels: readonly string[]): void {
    this.#append({ type: "alert", alert, channels: [...channels] });
  }

  /** When the channel last sent an alert with this key, in this run or an earlier one; negative infinity if it never did. */
  sentMs(channel: string, key: string): number {
    return this.#sentMs.get(`${channel} ${key}`) ?? Number.NEGATIVE_INFINITY;
  }

  sent(channel: string, key: string, atMs: number): void {
    this.#append({ type: "sent", channel, key, atMs });
  }

  done(channel: string, ids: readonly string[]): void {
    this.#append({ type: "done", channel, ids: [...ids] });
  }

  run(isOpen: boolean): void {
    this.#append({ type: "run", isOpen });
  }

  close(): void {
    this.#try(() => this.#file?.close());
  }

  #append(one: OutboxRecord): void {
    this.#apply(one);
    this.#try(() => {
      this.#file?.append(lineOf(one));
      if ((this.#file?.size ?? 0) > this.#compactAt) this.#rewrite();
    });
  }

  #take(line: string): void {
    // The last one of a killed process may be torn.
    const read = record.safeParse(jsonOf(line));
    if (read.success) this.#apply(read.data);
  }

  #apply(one: OutboxRecord): void {
    if (one.type === "run") this.#isOpen = one.isOpen;
    else if (one.type === "sent") this.#sentMs.set(`${one.channel} ${one.key}`, one.atMs);
    else if (one.type === "done") {
      const left = this.waiting(one.channel).filter(({ id }) => !one.ids.includes(id));
      if (this.#waiting.has(one.channel)) this.#waiting.set(one.channel, left);
    } else for (const channel of one.channels) this.#wait(channel, one.alert);
  }

  #wait(channel: string, alert: Alert): void {
    const list = this.#waiting.get(channel);
    if (list === undefined) return;
    list.push(alert);
    if (list.length <= MAX_WAITING) return;
    const least = alertSeverities.find((severity) => list.some((one) => one.severity === severity));
    list.splice(
      list.findIndex(({ severity }) => isAsSevere(least ?? "info", severity)),
      1,
    );
    if (!this.#hasLost) this.#told.lost(channel);
    this.#hasLost = true;
  }

  /** Leaves out what is done. */
  #rewrite(): void {
    const channelsOf = new Map<Alert, string[]>();
    for (const [channel, list] of this.#waiting) {
      for (const alert of list) channelsOf.set(alert, [...(channelsOf.get(alert) ?? []), channel]);
    }
    const next = this.#store.openReplacement(this.#path);
    next.append(lineOf({ type: "run", isOpen: this.#isOpen }));
    for (const [place, atMs] of this.#sentMs) {
      const [channel = "", ...key] = place.split(" ");
      next.append(lineOf({ type: "sent", channel, key: key.join(" "), atMs }));
    }
    const oldestFirst = [...channelsOf].toSorted(([one], [other]) => one.timeMs - other.timeMs);
    for (const [alert, channels] of oldestFirst)
      next.append(lineOf({ type: "alert", alert, channels }));
    next.commit();
    this.#file?.close();
    this.#file = this.#store.openAppend(this.#path);
    this.#compactAt = Math.max(COMPACT_BYTES, 2 * this.#file.size);
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      if (!this.#hasFailed) this.#told.failed(errorText(thrown));
      this.#hasFailed = true;
    }
  }
}

function lineOf(one: OutboxRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(one)}\n`);
}
