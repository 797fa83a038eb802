import { z } from "zod";
import { roles } from "./access-tokens.ts";
import { modes, type Overview, overviewStates } from "./overview.ts";
import type { BotStatus, StrategyStatus } from "./bot-status.ts";
import type { MarketDetail } from "./market-detail.ts";
import type { DashboardSnapshot, ForeignRows, StrategyPanelSnapshot } from "./snapshot.ts";

/** What the HTTP API responds with. Each schema is bound to the type of the data, so that the compiler keeps both alike. */

const side = z.enum(["BUY", "SELL"]);
const amount = z.string().describe("Decimal text.");
const maybeAmount = amount.nullable();
const timeMs = z.number().describe("Unix milliseconds.");

const position: z.ZodType<StrategyPanelSnapshot["position"]> = z.object({
  base: amount,
  averagePrice: maybeAmount,
  dayPnl: maybeAmount,
  totalPnl: maybeAmount,
  unrealisedPnl: maybeAmount,
  realisedPnl: amount,
  fees: z.record(z.string(), amount),
});
const run = z.object({
  inventory: amount,
  pnl: maybeAmount,
  volume: amount,
  parts: z.object({ spread: amount, inventory: amount, fees: amount }).nullable(),
});
const risk: z.ZodType<StrategyPanelSnapshot["risk"]> = z.object({
  step: z.enum(["normal", "warn", "widen", "reduceOnly", "pause", "halt"]),
  reason: z.string(),
});
const denied = z.array(z.object({ rule: z.string(), count: z.int(), first: z.string() }));
const reason = z.object({ BUY: z.string().nullable(), SELL: z.string().nullable() });
const uptime = z
  .object({
    bid: z.number().nullable(),
    ask: z.number().nullable(),
    obligation: z.number().nullable(),
  })
  .nullable();
const pnl = z.object({ day: maybeAmount, total: maybeAmount });
const portfolio: z.ZodType<DashboardSnapshot["portfolio"]> = z.object({
  currency: z.string().nullable(),
  pnl,
  exposure: maybeAmount,
  positions: z.record(z.string(), amount),
  pnlByToken: z.record(z.string(), pnl),
});
const limit: z.ZodType<DashboardSnapshot["limits"][number]> = z.object({
  limit: z.string(),
  of: z.string().nullable(),
  value: z.string(),
  source: z.enum(["set", "default", "derived"]),
});
const source: z.ZodType<DashboardSnapshot["sources"][number]> = z.object({
  name: z.string(),
  bid: z.number().nullable(),
  ask: z.number().nullable(),
  ageMs: z.number().nullable(),
  lagMs: z.number().nullable(),
  updates: z.int(),
  doubts: z.int(),
  problem: z.string().nullable(),
});
const call: z.ZodType<Omit<DashboardSnapshot["calls"][number], "hook"> & { hook: string }> =
  z.object({
    strategy: z.string(),
    hook: z.string(),
    count: z.int(),
    p50Us: z.number(),
    p99Us: z.number(),
    maxUs: z.number(),
  });
const warning = z.object({ timeMs, text: z.string() });
const nets = z.array(z.looseObject({ name: z.string() }));
const guard = z.enum(["none", "connected", "lost"]);
const bookState = z.enum(["closed", "syncing", "live"]);
const described = z.record(z.string(), z.union([z.string(), z.number()]));
const standstill = z.enum(["halted", "paused"]).nullable();

const foreign: z.ZodType<ForeignRows> = z.object({
  count: z.int(),
  orders: z
    .record(
      z.string(),
      z.object({
        market: z.string(),
        side,
        price: amount,
        remaining: amount,
        madeMs: timeMs,
        takers: z.array(z.string()).describe("Strategies that can take it over."),
      }),
    )
    .describe("The first of them, by order id."),
});
const maybe = z.number().nullable();
const limitUse = z.object({ limit: z.string(), share: z.number(), text: z.string() });
const overview: z.ZodType<Overview> = z.object({
  bot: z.string(),
  mode: z.enum(modes),
  venue: z.string(),
  startedMs: timeMs,
  version: z.string(),
  nowMs: timeMs,
  problems: z.array(
    z.object({ level: z.enum(["bad", "warn"]), of: z.array(z.string()), text: z.string() }),
  ),
  rows: z.record(
    z.string(),
    z.object({
      strategy: z.string(),
      name: z.string(),
      ticker: z.string(),
      market: z.string(),
      bot: z.object({ name: z.string(), mode: z.enum(modes), url: z.string() }).nullable(),
      state: z.enum(overviewStates),
      because: z.string().nullable(),
      reason,
      mid: maybe,
      spreadBps: maybe,
      position: z.number(),
      exposure: maybe,
      day: maybe,
      total: maybe,
      uptime,
      limit: limitUse.nullable(),
      orders: z.int(),
      fills: z.int(),
    }),
  ),
  totals: z.object({
    currency: z.string().nullable(),
    day: maybe,
    total: maybe,
    exposure: maybe,
    orders: z.int(),
    fills: z.int(),
    quoting: z.int(),
    limit: limitUse.nullable(),
  }),
  requests: z.object({ perSecond: z.number(), limit: z.number() }),
  tickToOrderUs: z.object({ p50: maybe, p99: maybe }),
  guard,
  foreign,
});

const strategyStatus: z.ZodType<StrategyStatus> = z.object({
  strategy: z.string(),
  name: z.string(),
  market: z.string(),
  book: bookState,
  mid: z.number().nullable(),
  orders: z.int(),
  position,
  run: run.extend({ fills: z.int() }),
  uptime,
  halted: z.boolean(),
  paused: z.boolean(),
  reason,
  risk,
  denied,
  described,
});

export const statusSchema: z.ZodType<Omit<BotStatus, "nets" | "portfolio">> = z.object({
  pid: z.int(),
  guard,
  strategies: z.array(strategyStatus),
  portfolio: portfolio.optional(),
  nets,
  limits: z.array(limit),
  sources: z.array(source),
  warnings: z.array(warning),
});

/** One strategy in one of its markets. */
const place = z.object({ strategy: z.string(), name: z.string(), market: z.string() });
const level = z.tuple([z.number(), z.number(), z.number()]);

const balance = z.object({
  token: z.string(),
  symbol: z.string(),
  unlocked: amount,
  locked: amount,
});
const fill = z.object({
  fill: z.int().describe("Its number in this run of the bot."),
  orderId: z.string(),
  tradeId: z.string(),
  timeMs,
  side,
  price: amount,
  quantity: amount,
  isMaker: z.boolean(),
});
const queueAhead = maybe.describe(
  "Estimate of what is ahead of it at its price, base token; null while it does not rest.",
);
const point = z.tuple([timeMs], maybe);
const series = z.array(z.enum(["mid", "ownBid", "ownAsk", "position", "pnl"]));
const market: z.ZodType<Omit<MarketDetail, "calls"> & { readonly calls: readonly object[] }> =
  z.object({
    name: z.string(),
    book: z.object({
      state: bookState,
      bids: z.array(level),
      asks: z.array(level),
      mid: maybe,
      spread: maybe,
    }),
    orders: z.record(
      z.string(),
      z.object({
        orderId: z.string().nullable(),
        side,
        price: z.number(),
        remaining: amount,
        madeMs: timeMs,
        queueAhead,
        state: z.string(),
      }),
    ),
    fills: z.record(z.string(), fill),
    point: point.nullable(),
    series,
    run,
    position,
    markouts: z.record(
      z.string(),
      z.object({ horizonMs: z.number(), bps: maybe, error: maybe, orders: z.int() }),
    ),
    limits: z.array(limitUse),
    configured: z.array(limit),
    balances: z.array(balance),
    denied,
    described,
    counts: z.object({
      placed: z.int(),
      kept: z.int(),
      replaced: z.int(),
      canceled: z.int(),
      fills: z.int(),
      rejected: z.int(),
    }),
    calls: z.array(call),
    sources: z.array(source),
  });

/** Of one replay; further figures as of `touchline replay --json`. */
const figures = z.looseObject({
  fills: z.int(),
  pnl: z.object({ spread: amount, inventory: amount, fees: amount, total: amount }).nullable(),
  volumeQuote: maybeAmount,
  maxDrawdown: maybeAmount,
  fillRatio: maybe,
  uptimeBid: maybe,
  uptimeAsk: maybe,
});

export const responses = {
  overview,
  market,
  history: z.object({ series, points: z.array(point) }),
  balances: z.array(balance),
  markets: z.array(
    place.extend({
      ticker: z.string(),
      state: bookState,
      mid: z.number().nullable(),
      spread: z.number().nullable(),
      bids: z.array(level).describe("Price, quantity and own quantity, best first."),
      asks: z.array(level),
      reason,
    }),
  ),
  orders: z.array(
    place.extend({
      orderId: z.string().nullable(),
      side,
      price: z.number(),
      remaining: amount,
      ageMs: z.number(),
      queueAhead,
      state: z.string(),
    }),
  ),
  fills: z.object({
    fills: z.array(place.extend(fill.shape)),
    next: z.int().nullable().describe("`before` of the next request; null where no older fill is."),
  }),
  pnl: z.object({ portfolio, strategies: z.array(place.extend({ position, run })), nets }),
  positions: z.object({
    positions: z.array(place.extend({ position })),
    nets,
    byToken: z.record(z.string(), amount),
  }),
  foreign,
  limits: z.array(limit),
  ladder: z.array(place.extend({ standstill, risk, denied })),
  health: z.object({
    ready: z.boolean(),
    reasons: z.array(z.string()).describe("Why it may not quote."),
    updateAgeMs: z.number().describe("Age of the newest update from the bot."),
    guard,
    requests: z.object({ perSecond: z.number(), limit: z.number() }),
    latency: z.object({
      tickToOrderP50Us: z.number().nullable(),
      tickToOrderP99Us: z.number().nullable(),
    }),
    calls: z.array(call),
    sources: z.array(source),
    missed: z.int().describe("Steps that observers missed."),
  }),
  log: z.array(warning),
  strategies: z.array(
    z.object({
      name: z.string(),
      plugin: z.string(),
      market: z.string(),
      params: z.unknown(),
      schema: z.unknown(),
    }),
  ),
  orderStory: z.object({
    orderId: z.string(),
    events: z.array(
      z.looseObject({
        run: z.int(),
        seq: z.int(),
        time: timeMs,
        what: z.string(),
        text: z.string(),
      }),
    ),
    warning: z.string().nullable(),
  }),
  moment: z.object({
    run: z.int(),
    time: timeMs,
    seq: z.int().nullable(),
    endedTime: timeMs.nullable(),
    strategies: z.array(z.looseObject({ strategy: z.string() })),
    events: z.array(
      z.looseObject({ seq: z.int(), time: timeMs, what: z.string(), text: z.string() }),
    ),
    warning: z.string().nullable(),
  }),
  proposal: z.object({
    fromMs: timeMs,
    toMs: timeMs,
    latency: z.string(),
    before: figures,
    after: figures,
    notModelled: z.array(z.string()).describe("What the figures leave out."),
  }),
  session: z.object({ who: z.string(), role: z.enum(roles) }),
} as const;

export const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
});
