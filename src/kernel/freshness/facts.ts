import type { MarketId } from "../../domain/ids.ts";
import type { StreamChannel } from "../../domain/stream-channel.ts";
import type { KernelConfig } from "../config.ts";
import type { MarketState } from "../market-state.ts";
import { AwaitedEvents } from "./awaited-events.ts";
import { ChannelHealth } from "./channel-health.ts";
import { Freshness } from "./freshness.ts";
import { OwnTrades } from "./own-trades.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** Facts that are read once a period anyway may be as old as this many periods. */
const PERIODS = 5;

/** One copied fact, and how old it may be. */
export interface Fact {
  /** For people. */
  readonly name: string;
  readonly kind: "book" | "account" | "clock" | "markets" | "balances";
  /** Of a book. */
  readonly marketId: MarketId | undefined;
  readonly fresh: Freshness;
  readonly limitMs: number;
  /** When it was last requested because it was suspect or old. */
  requestedMs: number;
}

/** The sources that show own open orders and fills, besides lists over REST. */
interface AccountSources {
  readonly events: AwaitedEvents;
  readonly trades: OwnTrades;
  /** When the user channel was subscribed to; Infinity while it is closed. */
  openedMs: number;
  /** When an event of the user channel came last, in time. */
  eventMs: number;
}

/** The copied facts of a kernel (`Freshness`), and the channels that keep them. The facts of its books are those of its markets. */
export interface Facts {
  /** A hint is followed by a read after this long. */
  readonly checkMs: number;
  readonly account: Fact;
  readonly clock: Fact;
  readonly markets: Fact;
  readonly balances: Fact;
  readonly all: readonly Fact[];
  readonly sources: AccountSources;
  /** How wrong the newest reading of the venue's clock may be. */
  clockDoubtMs: number;
  readonly channels: readonly ChannelHealth[];
  /** Of the trade channels. No quote depends on them. */
  readonly trades: ReadonlyMap<MarketId, Freshness>;
  /** When a new connection was last requested for a channel. */
  reconnectMs: number;
}

/** Undefined at a simulated venue: all its data have one source, so that nothing can contradict it. */
export function makeFacts(
  { timing }: KernelConfig,
  markets: ReadonlyMap<MarketId, MarketState>,
): Facts | undefined {
  const { channelCheckMs: checkMs } = timing;
  if (checkMs === NEVER) return undefined;
  const made = (
    kind: Fact["kind"],
    name: string,
    limitMs: number,
    fresh = new Freshness(),
    marketId?: MarketId,
  ): Fact => ({ kind, name, limitMs, fresh, marketId, requestedMs: Number.NEGATIVE_INFINITY });
  const books = [...markets].map(([id, { book, staleMs }]) =>
    made("book", "the book", staleMs, book.fresh, id),
  );
  const shortestMs = Math.min(...[...markets.values()].map(({ staleMs }) => staleMs));
  const account = made("account", "the own orders", shortestMs);
  const clock = made("clock", "the venue's clock", PERIODS * timing.venueTimeMs);
  const list = made("markets", "the list of markets", PERIODS * timing.marketsMs);
  const balances = made("balances", "the balances", PERIODS * timing.balancesMs);
  const trades = new Map([...markets.keys()].map((marketId) => [marketId, new Freshness()]));
  const channels: [StreamChannel, Freshness][] = [[{ kind: "userEvent" }, account.fresh]];
  for (const [marketId, { book }] of markets)
    channels.push([{ kind: "depth", marketId }, book.fresh]);
  for (const [marketId, fresh] of trades) channels.push([{ kind: "trade", marketId }, fresh]);
  return {
    checkMs,
    account,
    clock,
    markets: list,
    balances,
    all: [...books, account, clock, list, balances],
    sources: {
      events: new AwaitedEvents(),
      trades: new OwnTrades(),
      openedMs: NEVER,
      eventMs: Number.NEGATIVE_INFINITY,
    },
    clockDoubtMs: 0,
    channels: channels.map(([channel, fresh]) => new ChannelHealth(channel, fresh)),
    trades,
    reconnectMs: Number.NEGATIVE_INFINITY,
  };
}
