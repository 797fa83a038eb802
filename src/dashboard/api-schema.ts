import { z } from "zod";
import { roles } from "./access-tokens.ts";
import * as row from "./api-rows.ts";
import { type SeriesName, seriesNames } from "./history.ts";
import { modes, type StrategyState, states } from "./strategy-state.ts";

/** What the HTTP API responds with. */

const { amount, maybe, maybeAmount, timeMs, place } = row;

const mode = z
  .enum(modes)
  .describe(
    "`demo`: on a paper venue of its own; `paper`: simulated fills; `dryRun`: sends nothing; `live`: trades at `venue`.",
  );
const problem = z.object({
  level: z.enum(["bad", "warn"]),
  of: z.array(z.string()).describe("Names of rows; none for the whole bot."),
  text: z.string(),
});
const state = z.enum(Object.keys(states) as [StrategyState]);
const reported = maybe.describe("In the reporting currency.");

const overviewRow = place.extend({
  ticker: z.string(),
  bot: z
    .object({ name: z.string(), mode, url: z.string(), mayAct: z.boolean() })
    .nullable()
    .describe(
      "Its bot, the address of that bot's page and whether it can be acted on from here, in an overview of several bots.",
    ),
  state,
  because: z.string().nullable().describe("Explains the state, beside the reasons of the sides."),
  reason: row.reason,
  mid: maybe,
  spreadBps: maybe,
  position: z.number(),
  exposure: reported,
  day: reported,
  total: reported,
  uptime: row.uptime,
  limit: row.limitUse.nullable().describe("The limit that is used most."),
  orders: z.int(),
  fills: z.int(),
});
const overview = z.object({
  bot: z.string().describe("Name of its configuration."),
  mode,
  venue: z.string(),
  startedMs: timeMs,
  version: z.string(),
  nowMs: timeMs,
  problems: z.array(problem).describe("The hardest first."),
  rows: z.record(z.string(), overviewRow),
  totals: z
    .object({
      currency: z.string().nullable(),
      day: maybe,
      total: maybe,
      exposure: maybe,
      orders: z.int(),
      fills: z.int(),
      quoting: z.int().describe("How many rows quote both sides."),
      limit: row.limitUse.nullable().describe("The limit of the whole bot that is used most."),
    })
    .describe("In the reporting currency, whose symbol is null when there is none."),
  requests: row.requests,
  tickToOrderUs: z.object({ p50: maybe, p99: maybe }),
  guard: row.guard,
  foreign: row.foreign,
});
export type Overview = row.Data<typeof overview>;
export type OverviewRow = Overview["rows"][string];
export type OverviewProblem = Overview["problems"][number];

const status = z.object({
  pid: z.int(),
  guard: row.guard,
  problems: z.array(problem),
  strategies: z.array(
    place.extend({
      state,
      halted: z.boolean(),
      paused: z.boolean(),
      book: row.bookState,
      mid: maybe,
      orders: z.int(),
      position: row.position,
      run: row.run.extend({ fills: z.int() }),
      uptime: row.uptime,
      reason: row.reason,
      risk: row.risk,
      denied: row.denied,
      described: row.described,
    }),
  ),
  portfolio: row.portfolio.optional().describe("Left out while the bot starts."),
  nets: row.nets,
  limits: z.array(row.limit),
  sources: z.array(row.source),
  warnings: z.array(row.warning),
});
export type BotStatus = row.Data<typeof status>;
export type StrategyStatus = BotStatus["strategies"][number];

const point = z.tuple([timeMs], maybe);
const series = z.array(z.enum(seriesNames as readonly [SeriesName, ...SeriesName[]]));
const market = z.object({
  name: z.string(),
  book: row.book,
  orders: z.record(z.string(), row.order).describe("By order id; `unsigned N` before it has one."),
  fills: z.record(z.string(), row.fill).describe("The newest, by number."),
  point: point.nullable().describe("The newest point of the history."),
  series,
  run: row.run,
  position: row.position,
  markouts: z.record(z.string(), row.markout),
  limits: z.array(row.limitUse),
  configured: z.array(row.limit),
  balances: z.array(row.balance),
  denied: row.denied,
  described: row.described,
  counts: row.counts,
  calls: z.array(row.call),
  sources: z.array(row.source),
});
export type MarketDetail = row.Data<typeof market>;

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
const event = z.looseObject({ seq: z.int(), time: timeMs, what: z.string(), text: z.string() });

export const responses = {
  status,
  overview,
  market,
  history: z.object({ series, points: z.array(point) }),
  balances: z.array(row.balance),
  markets: z.array(place.extend({ ticker: z.string(), ...row.book.shape, reason: row.reason })),
  orders: z.array(place.extend(row.order.shape)),
  fills: z.object({
    fills: z.array(place.extend(row.fill.shape)),
    next: z.int().nullable().describe("`before` of the next request; null where no older fill is."),
  }),
  pnl: z.object({
    portfolio: row.portfolio,
    strategies: z.array(place.extend({ position: row.position, run: row.run })),
    nets: row.nets,
  }),
  positions: z.object({
    positions: z.array(place.extend({ position: row.position })),
    nets: row.nets,
    byToken: z.record(z.string(), amount),
  }),
  foreign: row.foreign,
  limits: z.array(row.limit),
  ladder: z.array(place.extend({ standstill: row.standstill, risk: row.risk, denied: row.denied })),
  health: z.object({
    ready: z.boolean(),
    reasons: z.array(z.string()).describe("Why it may not quote."),
    updateAgeMs: z.number().describe("Age of the newest update from the bot."),
    guard: row.guard,
    requests: row.requests,
    latency: z.object({ tickToOrderP50Us: maybe, tickToOrderP99Us: maybe }),
    calls: z.array(row.call),
    sources: z.array(row.source),
    missed: z.int().describe("Steps that observers missed."),
  }),
  log: z.array(row.warning),
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
    events: z.array(event.extend({ run: z.int() })),
    warning: z.string().nullable(),
  }),
  moment: z.object({
    run: z.int(),
    time: timeMs,
    seq: z.int().nullable(),
    endedTime: timeMs.nullable(),
    strategies: z.array(z.looseObject({ strategy: z.string() })),
    events: z.array(event),
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
