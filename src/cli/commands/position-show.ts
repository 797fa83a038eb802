import { symbolOf, symbolsIn } from "../token-of.ts";
import { addFixed, fixed, fixedText, type Fixed, ZERO } from "../../domain/fixed.ts";
import { midOf } from "../../domain/depth.ts";
import { tokensOf } from "../../domain/ids.ts";
import { bookFrom } from "../../gateway/from-wire.ts";
import { portfolioOf } from "../../metrics/portfolio.ts";
import { positionFigures } from "../../metrics/position-figures.ts";
import { dayOf } from "../../orders/day-start.ts";
import type { BookedPosition } from "../../orders/position-book.ts";
import type { CarriedPosition } from "../../orders/carried.ts";
import { limitsFor } from "../../risk/settings.ts";
import { type SizeLimit, sizeLimitText, writtenSizeLimit } from "../../risk/size-limit.ts";
import { HaltFile } from "../../runtime/halt-file.ts";
import { heldRungs } from "../../runtime/open-past.ts";
import { endpoints } from "../../spec/endpoints.ts";
import { defineCliCommand } from "../command.ts";
import { askStatus } from "../control-command.ts";
import { asPath, argument } from "../option.ts";
import {
  bookedPosition,
  type OpenedPositions,
  openPositions,
  partHolding,
  positionFields,
  refuseUnknown,
  strategyName,
} from "../position-command.ts";
import { rounded } from "../../base/rounded.ts";
import { portfolioText } from "../summary-text.ts";
import { right, table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { withVenue } from "../venue-access.ts";

export default defineCliCommand({
  summary: "show the positions, PnL and limits of a bot's strategies over all runs",
  details:
    "The journal has the positions, also while the bot runs. Where the venue can be reached, the account's balances are shown beside them: deposits and other programs make a difference.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: { strategy: strategyName },
  examples: ["position show my-bot.yaml", "position show my-bot.yaml --strategy eth-maker --json"],
  async run({ args, options, overrides, terminal, env }) {
    const opened = await openPositions(args.config, { overrides, env });
    const { positions } = opened;
    if (options.strategy !== undefined) {
      refuseUnknown(
        options.strategy,
        positions.map(({ strategy }) => strategy),
      );
    }
    const shown = positions.filter(
      ({ strategy }) => options.strategy === undefined || strategy === options.strategy,
    );
    const atVenue = await readVenue(opened, { config: args.config, overrides, env });
    const rows = shown.map((one) => rowOf(opened, one, atVenue?.mids));
    const portfolio = portfolioOf(
      shown.flatMap((one) =>
        partHolding(opened.config, one) === undefined
          ? []
          : [{ booked: todays(one), mid: atVenue?.mids.get(one.marketId) }],
      ),
      opened.config.reportingCurrency,
    );
    const balances = atVenue === undefined ? null : balanceRows(opened, atVenue.totals);
    terminal.emit("position.show", {
      journal: opened.config.journal.path,
      account: opened.header.kernel.owner,
      ...operatorState(opened),
      positions: rows.map(fieldsOf),
      portfolio,
      balances,
    });
    const symbols = symbolsIn(opened.header.markets);
    printRows(rows, { symbols, mids: atVenue?.mids, terminal });
    if (rows.length > 1) terminal.print(`All: ${portfolioText(portfolio, symbols)}.`);
    printState(operatorState(opened), terminal);
    if (balances === null) {
      terminal.say(terminal.dim("The venue cannot be reached: positions are not compared."));
    } else {
      printBalances(balances, symbols, terminal);
    }
  },
});

interface AtVenue {
  /** By market; of a running bot without its own orders. */
  readonly mids: ReadonlyMap<string, number>;
  /** Free and locked, by token. */
  readonly totals: ReadonlyMap<string, Fixed>;
}

/** Undefined when the venue cannot be reached. */
async function readVenue(
  { header, positions }: OpenedPositions,
  { config, ...inputs }: { readonly config: string } & Parameters<typeof openPositions>[1],
): Promise<AtVenue | undefined> {
  const options = {
    config,
    venue: undefined,
    ws: undefined,
    chainId: undefined,
    allowInsecure: false,
  };
  try {
    return await withVenue({ options, ...inputs }, async (venue) => {
      const { balances } = await venue.call(endpoints.balance, { address: header.kernel.owner });
      const bot = await midsOfBot(config, inputs);
      const mids = new Map(bot);
      for (const marketId of new Set(positions.map((one) => one.marketId))) {
        if (mids.has(marketId)) continue;
        const book = await venue.find(endpoints.depth, { marketId, limit: 1 });
        const mid = book === undefined ? undefined : midOf(bookFrom(marketId, book));
        if (mid !== undefined) mids.set(marketId, mid);
      }
      return {
        mids,
        totals: new Map(
          balances.map(({ tokenId, locked, unlocked }) => [
            tokenId,
            addFixed(fixed(locked), fixed(unlocked)),
          ]),
        ),
      };
    });
  } catch {
    return undefined;
  }
}

/** The mids with which the running bot values its positions; none when no bot answers. */
async function midsOfBot(
  config: string,
  inputs: Parameters<typeof openPositions>[1],
): Promise<ReadonlyMap<string, number>> {
  try {
    const { strategies } = await askStatus(config, inputs);
    return new Map(strategies.flatMap(({ market, mid }) => (mid === null ? [] : [[market, mid]])));
  } catch {
    return new Map();
  }
}

function operatorState({ carried, store, config }: OpenedPositions) {
  const stops = carried.filter((item) => item.type === "pause");
  const pauses = stops.filter(({ isPaused }) => isPaused);
  return {
    paused: pauses.some((item) => item.strategy === undefined),
    pausedStrategies: pauses.flatMap(({ strategy }) => strategy ?? []),
    haltedStrategies: stops.flatMap(({ strategy, haltReason: reason }) =>
      strategy === undefined || reason === undefined ? [] : [{ strategy, reason }],
    ),
    /** Null for the whole bot. */
    reduceOnly: stops.flatMap(({ strategy = null, isReduceOnly }) =>
      isReduceOnly === true ? [strategy] : [],
    ),
    halted: new HaltFile(store, config.journal.path).read() ?? null,
    /** `strategy` is null for the whole bot. */
    riskSteps: carried.flatMap((item) =>
      item.type === "risk"
        ? heldRungs(item, config).map(({ trigger, step }) => ({
            strategy: item.strategy ?? null,
            trigger,
            step,
          }))
        : [],
    ),
    leftMarkets: carried.flatMap((item) =>
      item.type === "left" && item.reason !== undefined
        ? [{ market: item.marketId, reason: item.reason }]
        : [],
    ),
  };
}

/** The limit that a run of this configuration has in a market: a derived one, too. Null without one. */
function maxPositionOf({ config, carried }: OpenedPositions, marketId: string): SizeLimit | null {
  const { maxPosition } = limitsFor(config.risk, marketId);
  if (maxPosition !== null) return maxPosition;
  const isDerived =
    config.unsetLimits.limits.includes("maxPosition") &&
    config.risk.markets[marketId]?.maxPosition === undefined;
  if (!isDerived) return null;
  for (const item of carried) {
    if (item.type === "limit" && item.limit === "maxPosition" && item.marketId === marketId) {
      return fixed(item.value);
    }
  }
  return null;
}

function rowOf(opened: OpenedPositions, one: CarriedPosition, mids: AtVenue["mids"] | undefined) {
  const { config, positions } = opened;
  const part = partHolding(config, one);
  const figures = positionFigures([todays(one)], mids?.get(one.marketId));
  const inMarket = positions.filter(({ marketId }) => marketId === one.marketId);
  const used = inMarket.map(({ base }) => fixed(base)).reduce(addFixed, ZERO);
  return {
    ...positionFields(one),
    /** The strategy's name for the market, after its own; null when it is not configured there. */
    part: part?.name ?? null,
    /** Null without a run today. */
    dayPnl: figures.dayPnl,
    totalPnl: figures.totalPnl,
    unrealisedPnl: figures.unrealisedPnl,
    /** False: the strategy is not in the configuration, or in another market. */
    configured: part !== undefined,
    limits: {
      maxPosition: maxPositionOf(opened, one.marketId),
      /** Of all strategies in the market. */
      position: fixedText(used),
    },
  };
}

type Row = ReturnType<typeof rowOf>;

function fieldsOf({ limits, ...row }: Row) {
  const { maxPosition } = limits;
  const written = maxPosition === null ? null : writtenSizeLimit(maxPosition);
  return { ...row, limits: { ...limits, maxPosition: written } };
}

/** A position whose day is over has no PnL of the day. */
function todays(one: CarriedPosition): BookedPosition {
  const booked = bookedPosition(one);
  if (booked.day.day !== dayOf(Date.now())) booked.day.clear();
  return booked;
}

function balanceRows(
  { positions }: OpenedPositions,
  totals: AtVenue["totals"],
): readonly { readonly token: string; readonly account: string; readonly positions: string }[] {
  const sums = new Map<string, Fixed>();
  for (const { marketId, base } of positions) {
    const token = tokensOf(marketId).base;
    sums.set(token, addFixed(sums.get(token) ?? ZERO, fixed(base)));
  }
  return [...sums].map(([token, sum]) => ({
    token,
    account: fixedText(totals.get(token) ?? ZERO),
    positions: fixedText(sum),
  }));
}

/** In the unit of the limit. */
export function limitUsed(
  { maxPosition, position }: Row["limits"],
  mid: number | undefined,
): string {
  if (maxPosition === null) return `${position} of no limit`;
  const inQuote = mid === undefined ? "unknown" : (Number(position) * mid).toFixed(2);
  const used = typeof maxPosition === "bigint" ? position : inQuote;
  return `${used} of ${sizeLimitText(maxPosition)}`;
}

function printRows(
  rows: readonly Row[],
  {
    symbols,
    mids,
    terminal,
  }: {
    readonly symbols: ReadonlyMap<string, string>;
    readonly mids: AtVenue["mids"] | undefined;
    readonly terminal: Terminal;
  },
): void {
  terminal.print(
    table(
      [
        "strategy",
        "market",
        right("position"),
        right("average cost"),
        right("PnL today"),
        right("PnL in all"),
        right("realised"),
        right("unrealised"),
        right("drawdown"),
        right("limit used"),
        "fees",
      ],
      rows.map((row) => [
        row.part !== null ? row.part : `${row.strategy} (not in the configuration)`,
        row.market,
        row.base,
        row.averagePrice === null ? "-" : rounded(row.averagePrice),
        row.dayPnl === null ? "-" : rounded(row.dayPnl),
        row.totalPnl === null ? "unknown" : rounded(row.totalPnl),
        rounded(row.realisedPnl),
        row.unrealisedPnl === null ? "unknown" : rounded(row.unrealisedPnl),
        rounded(row.maxDrawdown),
        limitUsed(row.limits, mids?.get(row.market)),
        Object.entries(row.fees)
          .map(([token, fee]) => `${rounded(fee)} ${symbolOf(symbols, token)}`)
          .join(", ") || "none",
      ]),
    ),
  );
}

function printState(
  {
    paused,
    pausedStrategies,
    haltedStrategies,
    reduceOnly,
    halted,
    riskSteps,
    leftMarkets,
  }: ReturnType<typeof operatorState>,
  terminal: Terminal,
): void {
  if (paused) terminal.print("The bot is paused: it quotes nothing until it is resumed.");
  for (const name of pausedStrategies) terminal.print(`The strategy ${name} is paused.`);
  for (const name of reduceOnly) {
    const who = name === null ? "The bot" : `The strategy ${name}`;
    terminal.print(`${who} only reduces its positions until it is resumed.`);
  }
  for (const { strategy, reason } of haltedStrategies) {
    terminal.print(`The strategy ${strategy} is halted: ${reason}.`);
  }
  if (halted !== null) terminal.print(`The bot is halted: ${halted}.`);
  for (const { strategy, trigger, step } of riskSteps) {
    const who = strategy === null ? "The bot" : `The strategy ${strategy}`;
    terminal.print(`${who} is at the step ${step} of its risk ladder, which ${trigger} reached.`);
  }
  for (const { market, reason } of leftMarkets) {
    terminal.print(`Market ${market} is not quoted until \`touchline resume\`: ${reason}.`);
  }
}

function printBalances(
  rows: ReturnType<typeof balanceRows>,
  symbols: ReadonlyMap<string, string>,
  terminal: Terminal,
): void {
  for (const { token, account, positions } of rows) {
    terminal.print(
      terminal.dim(
        `The account holds ${account} ${symbolOf(symbols, token)}; the positions are ${positions}.`,
      ),
    );
  }
}
