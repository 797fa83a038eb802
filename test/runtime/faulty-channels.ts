import { fixedToNumber } from "../../src/domain/fixed.ts";
import type { MarketId } from "../../src/domain/ids.ts";
import type { Note } from "../../src/kernel/note.ts";
import type { Bot } from "../../src/runtime/bot.ts";
import { startLive } from "../../src/runtime/live.ts";
import type { LiveSettings } from "../../src/runtime/live-settings.ts";
import { decodeStreamRequest } from "../../src/spec/stream.ts";
import { liveWorld, type World } from "./live-world.ts";

/** What happens to a frame: its delay in milliseconds, or Infinity when it is lost. `subscription` counts the channel's subscriptions from 1. */
export type FrameFault = (channel: string, subscription: number) => number;

export interface FaultyWorld extends World {
  /** Decides about every frame of a channel from now on. */
  fault: FrameFault;
  /** Requests that the bot sent over its sockets, as `subscribe depth@1_2`. */
  readonly requests: string[];
  readonly notes: { readonly atMs: number; readonly note: Note }[];
  startBot(settings?: Partial<LiveSettings>): Promise<Bot>;
  notesOf<Type extends Note["type"]>(type: Type): readonly Extract<Note, { type: Type }>[];
}

/** A world in which frames of single channels are lost or late, while pings, other channels and REST go on. */
export async function faultyWorld(
  seed: number,
  options?: Parameters<typeof liveWorld>[1],
): Promise<FaultyWorld> {
  const world = await liveWorld(seed, options);
  const decoder = new TextDecoder();
  const requests: string[] = [];
  const subscriptions = new Map<string, number>();
  const connector: World["ports"]["connector"] = {
    connect(url, handlers) {
      const socket = world.ports.connector.connect(url, {
        ...handlers,
        frame(data) {
          const text = decoder.decode(data);
          const channel = /"channel":"([^"]+)"/.exec(text)?.[1];
          const delayMs =
            channel === undefined ? 0 : faulty.fault(channel, subscriptions.get(channel) ?? 0);
          if (delayMs === 0) handlers.frame(data);
          else if (delayMs !== Number.POSITIVE_INFINITY) {
            // The bytes are valid only now.
            const copy = data.slice();
            world.clock.after(delayMs, () => handlers.frame(copy));
          }
        },
      });
      return {
        ping: () => socket.ping(),
        close: () => socket.close(),
        terminate: () => socket.terminate(),
        send(text) {
          const request = decodeStreamRequest(text);
          if (!request.ok) throw new Error("the bot sent an unreadable request");
          const { method, params } = request.value;
          for (const channel of params.channels) {
            requests.push(`${method} ${channel}`);
            if (method !== "subscribe") continue;
            subscriptions.set(channel, (subscriptions.get(channel) ?? 0) + 1);
          }
          socket.send(text);
        },
      };
    },
  };
  const notes: FaultyWorld["notes"] = [];
  const faulty: FaultyWorld = {
    ...world,
    ports: { ...world.ports, connector },
    fault: () => 0,
    requests,
    notes,
    async startBot(settings = {}) {
      const bot = await world.settle(startLive({ ...world.settings, ...settings }, faulty.ports));
      bot.observers.on((entry) => {
        for (const note of entry.notes) notes.push({ atMs: world.clock.nowMs(), note });
      });
      return bot;
    },
    notesOf: <Type extends Note["type"]>(type: Type) =>
      notes.flatMap(({ note }) =>
        note.type === type ? [note as Extract<Note, { type: Type }>] : [],
      ),
  };
  return faulty;
}

/** How a bot's quotes at the venue stood over some seconds. */
export interface Quoted {
  /** Share of the seconds in which both sides were quoted. */
  readonly share: number;
  /** Farthest that a quote was from its side of the book's mid, as a share of the mid. */
  readonly farthest: number;
}

/** Lets the world run and looks at the bot's open orders once a second. */
export async function quoted(world: FaultyWorld, bot: Bot, seconds: number): Promise<Quoted> {
  let count = 0;
  let farthest = 0;
  for (let second = 0; second < seconds; second += 1) {
    await world.clock.runFor(1_000);
    const orders = world.openOrders(bot);
    if (new Set(orders.map(({ side }) => side)).size === 2) count += 1;
    const { bids, asks } = world.venue.exchange.book("1_2" as MarketId, 1);
    const [bid, ask] = [bids[0]?.price ?? 0, asks[0]?.price ?? 0];
    const mid = (bid + ask) / 2;
    for (const { price } of orders) {
      farthest = Math.max(farthest, Math.abs(fixedToNumber(price) / mid - 1));
    }
  }
  return { share: count / seconds, farthest };
}

/** The frames of channels that begin with `prefix` are delayed by `delayMs`. */
export function delayed(prefix: string, delayMs: number): FrameFault {
  return (channel) => (channel.startsWith(prefix) ? delayMs : 0);
}

export const LOST = Number.POSITIVE_INFINITY;

/** A bot that has quoted for some seconds in a world without faults so far. */
export async function running(seed: number): Promise<{ world: FaultyWorld; bot: Bot }> {
  const world = await faultyWorld(seed);
  const bot = await world.startBot();
  await world.clock.runFor(10_000);
  return { world, bot };
}

export const states = (world: FaultyWorld): readonly string[] =>
  world.notesOf("channel").map(({ channel, state }) => `${channel.kind} ${state}`);
