import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { jsonOf } from "../base/json-of.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { type Overview, responses } from "./api-schema.ts";
import { statusOf } from "./bot-status.ts";
import type { JournalSubject } from "./journal-reader.ts";
import { marketDetail } from "./market-detail.ts";
import { readiness } from "./readiness.ts";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";
import type { StrategyParameters } from "./strategy-parameters.ts";

/** What the resources are made of. */
export interface ApiData {
  readonly snapshot: DashboardSnapshot;
  overview(): Overview | undefined;
  /** Age of the snapshot. */
  readonly ageMs: number;
  /** Newest last. */
  readonly log: DashboardSnapshot["warnings"];
  readonly strategies: readonly StrategyParameters[];
  fromJournal(subject: JournalSubject): Promise<unknown>;
}

/** Something that can be read: `GET /api/v1` and its path, which has `{name}` for what is part of the input. */
export interface Resource {
  readonly path: string;
  readonly summary: string;
  /** Of the path and the query. */
  readonly input: z.ZodObject;
  readonly response: z.ZodType;
  get(data: ApiData, input: unknown, by: CommandOrigin): unknown;
}

function resource<Input extends z.ZodObject>(defined: {
  readonly path: string;
  readonly summary: string;
  readonly input: Input;
  readonly response: z.ZodType;
  readonly get: (data: ApiData, input: z.output<Input>, by: CommandOrigin) => unknown;
}): Resource {
  return {
    ...defined,
    get: (data, input, by) => defined.get(data, defined.input.parse(input), by),
  };
}

export const PROPOSAL_PATH = "/proposal";

const panelName = z.string().describe("As a row of the overview has it.");
const limit = z.coerce.number().int().min(1).max(200).default(50);

type ResponseName = keyof typeof responses;

/** The newest state: resources without input, by the name of their path and response. */
const newest: Partial<
  Readonly<Record<ResponseName, readonly [summary: string, get: (data: ApiData) => unknown]>>
> = {
  status: [
    "What the bot is doing, as `touchline status --json`",
    ({ snapshot }) => statusOf(snapshot),
  ],
  overview: [
    "Everything on one screen: problems, a row for each strategy in each market, and totals",
    ({ overview }) => overview(),
  ],
  balances: [
    "Balances of the account in the traded tokens, as the venue last listed them",
    ({ snapshot }) => snapshot.balances,
  ],
  markets: [
    "Books of the markets with own quantities, and why a side is not quoted",
    ({ snapshot }) =>
      snapshot.panels.map(({ book, ticker, reason, ...panel }) => {
        return { ...placeOf(panel), ticker, ...book, reason };
      }),
  ],
  orders: [
    "Own open orders",
    ({ snapshot }) =>
      snapshot.panels.flatMap(({ orders, ...panel }) =>
        orders.map((order) => ({ ...placeOf(panel), ...order })),
      ),
  ],
  foreign: [
    "Open orders of the account that are not the bot's own",
    ({ snapshot }) => snapshot.foreign,
  ],
  pnl: [
    "PnL of the bot and of each strategy in each market, over all runs and in this one",
    ({ snapshot: { portfolio, panels, nets } }) => {
      const strategies = panels.map(({ position, run, ...panel }) => {
        return { ...placeOf(panel), position, run };
      });
      return { portfolio, strategies, nets };
    },
  ],
  positions: [
    "Positions of each strategy in each market, and their sums by token",
    ({ snapshot: { portfolio, panels, nets } }) => {
      const positions = panels.map(({ position, ...panel }) => ({ ...placeOf(panel), position }));
      return { positions, nets, byToken: portfolio.positions };
    },
  ],
  limits: ["Limits, and where each value comes from", ({ snapshot }) => snapshot.limits],
  ladder: [
    "Step of the risk ladder of each strategy, and what its rules denied",
    ({ snapshot }) =>
      snapshot.panels.map(({ standstill, risk, denied, ...panel }) => {
        return { ...placeOf(panel), standstill, risk, denied };
      }),
  ],
  health: [
    "Whether it may quote, how fast it is, its price sources and its guard",
    ({ snapshot, ageMs }) => {
      const { guard, requests, latency, calls, sources, missed } = snapshot;
      const reasons = readiness(snapshot, ageMs);
      const ready = reasons.length === 0;
      const updateAgeMs = Math.round(ageMs);
      return { ready, reasons, updateAgeMs, guard, requests, latency, calls, sources, missed };
    },
  ],
  strategies: [
    "Strategies with their parameters as written, and the schema of what can be tuned",
    ({ strategies }) => strategies,
  ],
};

export const resources: readonly Resource[] = [
  ...Object.entries(newest).map(([name, [summary, get]]) => {
    const response = responses[name as ResponseName];
    return resource({ path: `/${name}`, summary, input: z.strictObject({}), response, get });
  }),
  resource({
    path: "/market",
    summary:
      "One strategy in one market: book, orders with their estimated queues, PnL split, markouts",
    input: z.strictObject({ name: panelName }),
    response: responses.market,
    get: ({ snapshot }, { name: wanted }) =>
      marketDetail(snapshot, panelNamed(snapshot, wanted).name),
  }),
  resource({
    path: "/history",
    summary:
      "One strategy in one market, once a second in the last hour: `[time, value of each series, …]`",
    input: z.strictObject({ name: panelName }),
    response: responses.history,
    get: ({ snapshot }, { name: wanted }) => {
      const { series, history } = panelNamed(snapshot, wanted);
      return { series, points: history };
    },
  }),
  resource({
    path: "/fills",
    summary:
      "Fills of this run, newest first, at most 1000 a market; of one strategy in one market with `name`",
    input: z.strictObject({
      limit,
      before: z.coerce.number().int().min(1).optional(),
      name: panelName.optional(),
    }),
    response: responses.fills,
    get: ({ snapshot }, { limit: most, before = Number.POSITIVE_INFINITY, name: only }) => {
      const all = (only === undefined ? snapshot.panels : [panelNamed(snapshot, only)])
        .flatMap(({ fills, ...panel }) => fills.map((fill) => ({ ...placeOf(panel), ...fill })))
        .filter(({ fill }) => fill < before)
        .sort((left, right) => right.fill - left.fill);
      const fills = all.slice(0, most);
      return { fills, next: all.length > most ? (fills.at(-1)?.fill ?? null) : null };
    },
  }),
  resource({
    path: "/log",
    summary: "Newest warnings and operator's commands, newest last",
    input: z.strictObject({ limit }),
    response: responses.log,
    get: ({ log }, { limit: most }) => log.slice(-most),
  }),
  resource({
    path: "/orders/{orderId}/story",
    summary: "Why an order was there, from the journal, as `touchline journal show DIR ORDER_ID`",
    input: z.strictObject({ orderId: z.string().regex(/^0x[0-9a-f]{64}$/) }),
    response: responses.orderStory,
    get: ({ fromJournal }, { orderId }) => fromJournal(orderId),
  }),
  resource({
    path: "/moment",
    summary: "Targets, orders and events of a past moment, as `touchline journal show DIR TIME`",
    input: z.strictObject({ at: z.coerce.number().int().min(0).describe("Unix milliseconds.") }),
    response: responses.moment,
    get: ({ fromJournal }, { at }) => fromJournal(at),
  }),
  resource({
    path: PROPOSAL_PATH,
    summary:
      "Replays the last hours of the journal with the present parameters of a strategy and with changed ones, and returns both figures with what they leave out. Changes nothing",
    input: z.strictObject({
      strategy: z.string(),
      settings: z
        .string()
        .transform(jsonOf)
        .pipe(z.array(z.string()).min(1))
        .describe('JSON: `["key=value"]`, as `tune` takes them.'),
      hours: z.coerce.number().positive().max(24).default(1),
    }),
    response: responses.proposal,
    get: ({ fromJournal, strategies }, { hours, ...change }, { isAgent = false }) =>
      fromJournal({ ...change, spanMs: hours * 3_600_000, present: strategies, isAgent }),
  }),
];

function panelNamed({ panels }: DashboardSnapshot, wanted: string): StrategyPanelSnapshot {
  const panel = panels.find((one) => one.name === wanted);
  if (panel !== undefined) return panel;
  const names = panels.map((one) => one.name).join(", ");
  throw new TouchlineError(
    "MARKET_UNKNOWN",
    `This bot has no strategy and market ${wanted}; it has ${names}.`,
  );
}

function placeOf({
  strategy,
  name,
  marketId: market,
}: Pick<StrategyPanelSnapshot, "strategy" | "name" | "marketId">) {
  return { strategy, name, market };
}
