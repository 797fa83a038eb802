import { z } from "zod";
import { defaultStreamTiming } from "../gateway/stream-timing.ts";
import { defaultTiming } from "../kernel/config.ts";
import { amount, dataSize, duration, share } from "../domain/setting.ts";
import { riskSchema, triggersSchema } from "../risk/settings.ts";
import { sizeLimit } from "../risk/size-limit.ts";
import { accountSchema } from "./account-config.ts";
import { alertsSchema } from "./alerts-config.ts";
import {
  botKeys,
  connected,
  inEveryMode,
  key,
  quietly,
  replayed,
  signed,
  simulated,
} from "./bot-key.ts";
import { latencySchema } from "./latency-config.ts";
import { budgetPart } from "../domain/budget.ts";
import { marketName } from "./market-setting.ts";
import { modelsSchema } from "./models-config.ts";
import { periods } from "./periods.ts";
import { sourcesSchema } from "./sources-config.ts";
import { venueAddress } from "./venue-address.ts";

/** The schema of a bot's YAML: every key with its meaning, default, and the modes in which it is used. */

const budget = z.strictObject({
  base: key(
    budgetPart().optional(),
    inEveryMode,
    "Base token of its own market that the strategy may use over all its markets, with what its own fills bring or take: an amount, or a share of what the account has without the strategies' fills; left out: all.",
  ),
  quote: key(budgetPart().optional(), inEveryMode, "The same of the quote token."),
});

const obligation = z.strictObject({
  spread: key(
    share({ min: 0.000001, max: 1 }),
    inEveryMode,
    "Widest spread between own bid and own ask, as a share of their mid; see docs/positions.md. The summary measures it.",
  ),
  size: key(
    sizeLimit(),
    inEveryMode,
    "Smallest size that each side shows within that spread: base token, or `{ quote: 40 }` for what it is worth in quote token.",
  ),
});

const strategyRisk = z.strictObject({
  triggers: key(
    triggersSchema("strategy"),
    inEveryMode,
    "Steps of the risk ladder for a strategy, by trigger; see docs/risk.md.",
  ),
});

const onStop = key(
  z.enum(["cancel", "flatten"]).optional(),
  connected,
  "What a stop does besides canceling its orders: `flatten` works its positions off (docs/takes.md).",
);

const strategy = z.strictObject({
  name: key(
    z
      .string()
      .regex(
        /^[A-Za-z0-9][\w.-]{0,63}$/,
        "is not a valid name: use at most 64 letters, digits, points, dashes and underscores",
      ),
    inEveryMode,
    "Names the strategy's orders in the journal, the log and the summary.",
  ),
  plugin: key(
    z.string().min(1),
    inEveryMode,
    "A built-in strategy, a path relative to this file, or an npm package.",
  ),
  market: key(
    marketName().optional(),
    inEveryMode,
    "The market it trades in: its id like `1_2`, or its ticker like `ETH/USDC`.",
  ),
  markets: key(
    z.record(z.string(), marketName()).optional(),
    inEveryMode,
    "In place of `market`, for a strategy of several markets: each of its names with the market, such as `{ main: 1_2, hedge: 3_2 }`.",
  ),
  params: key(
    z.unknown().optional(),
    inEveryMode,
    "Parameters of the plugin, checked by its own schema.",
  ),
  budget: budget.optional(),
  sources: key(
    z.array(z.string()).optional(),
    inEveryMode,
    "Names of the `sources` that it sees; left out: all.",
  ),
  seed: key(
    z.int().min(0).max(0xffff_ffff).optional(),
    inEveryMode,
    "Seeds the randomness of the strategy; made of its name when left out.",
  ),
  obligation: obligation.optional(),
  onStop,
  risk: strategyRisk.prefault({}),
});

/** What every strategy has that does not say otherwise: merged under each entry before it is validated. */
const defaults = z.strictObject({
  plugin: key(z.string().min(1).optional(), inEveryMode, "The plugin of strategies without one."),
  params: key(
    z.unknown().optional(),
    inEveryMode,
    "Parameters that strategies do not set themselves; with `defaults.plugin`, of those with that plugin.",
  ),
  budget: budget.optional(),
  obligation: obligation.optional(),
  onStop,
  risk: strategyRisk.optional(),
});

/** A bot's configuration. The strategies' `params` are validated by their plugins. */
export const botSchema = z.strictObject({
  venue: venueAddress.optional(),
  account: accountSchema.optional(),
  rateLimit: z
    .strictObject({
      perSecond: key(
        z.number().positive().max(10_000).default(20),
        inEveryMode,
        "HTTP requests a second at most, reads included; fewer for a while after the venue answered 429.",
      ),
      burst: key(
        z.int().min(1).max(10_000).default(40),
        inEveryMode,
        "Requests that may leave at once after a pause.",
      ),
      concurrency: key(
        z.int().min(1).max(256).default(8),
        inEveryMode,
        "Requests that may be open at the same time. Cancels and reads do not wait for those without a response for 0.6 s.",
      ),
    })
    .prefault({}),
  risk: key(
    riskSchema.prefault({}),
    inEveryMode,
    "Limits that every placement has to keep; cancels always pass.",
  ),
  dashboard: z
    .strictObject({
      host: key(
        z.string().min(1).default("127.0.0.1"),
        quietly(connected),
        "Address that the page listens on.",
      ),
      port: key(
        z.int().min(0).max(65_535).default(8718),
        quietly(connected),
        "Port of the page; 0 takes a free one.",
      ),
      allowedHosts: key(
        z
          .array(
            z.string().regex(/^(https:\/\/)?[A-Za-z0-9.-]+$/, {
              message: "must be a host name, or https:// and a host name",
            }),
          )
          .default([]),
        quietly(connected),
        "Names of the page beside `host`; `https://NAME` for one that a proxy with TLS serves. With any, a login is always needed.",
      ),
      insecureControl: key(
        z.boolean().default(false),
        quietly(connected),
        "Other machines may act over plain HTTP, without a proxy with TLS.",
      ),
    })
    .refine(
      ({ host, allowedHosts }) => !/^(0\.0\.0\.0|::)$/.test(host) || allowedHosts.length > 0,
      {
        path: ["host"],
        message:
          "stands for every address of the machine, so the names of the page go to allowedHosts",
      },
    )
    .optional(),
  journal: z
    .strictObject({
      path: key(
        z.string().min(1).default("./data/journal"),
        quietly(signed),
        "Folder of the journal, relative to this file.",
      ),
      durability: key(
        z.enum(["process", "power"]).default("process"),
        signed,
        "What the journal survives before a command is sent: `process` a killed process, `power` a power cut too (each order waits for the disk, a cancel for a second at most).",
      ),
      keep: z
        .strictObject({
          days: key(
            z.number().min(1).max(36_500).optional(),
            quietly(signed),
            "Days after which a part of the journal that no restart needs is deleted; left out: never.",
          ),
          size: key(
            dataSize({ min: 100e6 }).optional(),
            quietly(signed),
            "Most data that the journal keeps, such as `50GB`: beyond it the oldest part that no restart needs is deleted. Left out: no limit.",
          ),
        })
        .prefault({}),
    })
    .prefault({}),
  control: z
    .strictObject({
      socket: key(
        z.string().min(1).optional(),
        quietly(signed),
        "Local socket for `touchline status`, `pause` and so on; left out: `control.sock` in the journal's folder.",
      ),
    })
    .prefault({}),
  alerts: alertsSchema,
  watchdog: z
    .strictObject({
      maxBlocked: key(
        duration({ min: 500, max: 60_000 }).prefault("3s"),
        quietly({ modes: ["run"] }),
        "When a call of a strategy does not return for this long, a watchdog cancels the bot's orders and ends it with exit code 1.",
      ),
      slowCall: key(
        duration({ min: 1, max: 60_000 }).prefault("50ms"),
        quietly(connected),
        "A call of a strategy that takes longer is warned about (`STRATEGY_SLOW`), at most once a minute.",
      ),
    })
    .prefault({}),
  guard: z
    .strictObject({
      silentAfter: key(
        duration({ min: 2_000, max: 60_000 }).prefault("5s"),
        quietly({ modes: ["run"] }),
        "`touchline guard` cancels the bot's orders when the bot has been silent for this long.",
      ),
      refresh: key(
        duration({ min: 1_000, max: 60_000 }).prefault("10s"),
        quietly({ modes: ["run"] }),
        "The signed cancels of a connected guard are replaced at this age, and at a quarter of the nonce window at the latest.",
      ),
      required: key(
        z.boolean().default(false),
        quietly({ modes: ["run"] }),
        "Nothing is quoted while no guard is connected.",
      ),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: key(
        z.enum(["debug", "info", "warn", "error"]).default("info"),
        quietly(connected),
        "The least severe log lines that are written.",
      ),
    })
    .prefault({}),
  execution: z
    .strictObject({
      useModify: key(
        z.boolean().default(false),
        inEveryMode,
        "Moves quotes by modify where that is safe, with about half of the commands. Venues may read a modify otherwise (docs/venue.md, D23).",
      ),
    })
    .prefault({}),
  timing: periods({
    defaults: defaultTiming,
    acts: inEveryMode,
    about: {
      reconcile:
        "Open orders are compared with the venue's list this often, and after every reconnect.",
      balances: "Balances are read this often.",
      venueTime: "The venue's clock is read this often.",
      markets: [
        signed,
        "The venue's markets are read again this often, for their fees and whether they are listed.",
      ],
      readRetry: "First wait after a failed read; doubles up to `readRetryMax`.",
      readRetryMax: "Longest wait after a failed read.",
      queryFirst:
        "First query about an order whose outcome is unknown, after this; doubles up to `queryMax`.",
      queryMax: "Longest wait between two queries about an order.",
      inFlight: "What the venue accepted shows in its responses no later than this.",
      refusalCooldown:
        "A side waits this long after a refused or rejected placement; doubles up to `refusalCooldownMax`.",
      refusalCooldownMax: "Longest wait after a refused or rejected placement.",
      audit: [
        signed,
        "A book that changes without being compared with the venue's own snapshots for this long is warned about.",
      ],
      observe: [
        signed,
        "A bot that finds foreign orders in a market at its start watches it for this long before it quotes there, and for as long after; it ends with `ANOTHER_BOT` when another bot moves them. Not with `account.shared`.",
      ],
      channelCheck: [
        signed,
        "A fact is read over REST this long after a hint that its copy is wrong, and an event may come late by as much.",
      ],
      drift: [
        signed,
        "A change of the balances that nothing explains for this long is warned about (`BALANCE_DRIFT`).",
      ],
      stop: "Own orders have this long to be settled once the bot stops; then the run ends and names those in question.",
    },
  }).prefault({}),
  streams: periods({
    defaults: defaultStreamTiming,
    acts: connected,
    about: {
      ping: "Between the answer to a ping and the next ping.",
      pong: "A ping that is not answered for this long means a dead socket.",
      stall: "Silence for this long is treated as a stalled stream.",
      open: "Connecting and subscribing may take this long.",
      backoff: "First wait before connecting again; doubles up to `backoffMax`.",
      backoffMax: "Longest wait before connecting again.",
      lifetime: "Age at which a connection is replaced; the venue ends it at 24 h (§6.1).",
      overlap: "The old and the new connection are both open for at most this long.",
    },
  }).prefault({}),
  balances: key(
    z.record(z.string(), amount({ zero: true }).transform(String)).optional(),
    quietly(simulated),
    "What the simulated account starts with, by token id or by the symbol of a ticker.",
  ),
  fees: z
    .strictObject({
      // Never negative: the venue charges fees (D18).
      maker: key(share({ max: 0.1 }), quietly(simulated), "Maker fee of every market."),
      taker: key(share({ max: 0.1 }), quietly(simulated), "Taker fee of every market."),
    })
    .optional(),
  priceGrid: key(
    z.enum(["auto", "venue", "native"]).default("auto"),
    replayed,
    "Prices and sizes of own orders: `venue` the grid of §4.5, `native` the recording's tick and lot, `auto` native where the recorded prices do not fit the grid.",
  ),
  reportingCurrency: key(
    z.string().min(1).max(64).optional(),
    inEveryMode,
    "Token, by its id or ticker symbol, in which results and the limits of the whole bot add up all markets, by their mids; left out: the first quote token into which the strategies' markets convert all others.",
  ),
  sources: sourcesSchema.prefault({}),
  latency: latencySchema.prefault({}),
  models: modelsSchema.prefault({}),
  defaults: defaults.optional(),
  strategies: z.array(strategy).min(1).max(64),
});

export type BotDocument = z.output<typeof botSchema>;

/** Every key that a bot's YAML may have. */
export const allBotKeys = botKeys(botSchema);
