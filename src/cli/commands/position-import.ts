import { readFileSync } from "node:fs";
import { z } from "zod";
import { TouchlineError } from "../../base/error.ts";
import { jsonOf } from "../../base/json-of.ts";
import { Decimal, fixedOf } from "../../domain/decimal.ts";
import { addFixed, type Fixed, fixed, fixedText, parseFixed, ZERO } from "../../domain/fixed.ts";
import { isMarketId } from "../../domain/market-of-ticker.ts";
import { type MarketId, tokensOf } from "../../domain/ids.ts";
import type { CarriedPosition } from "../../orders/carried.ts";
import { positionJoined, startSince } from "../../orders/position-book.ts";
import { importsWith, notImported } from "../imported-positions.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument } from "../option.ts";
import {
  changePosition,
  exportDigest,
  type OpenedPositions,
  openPositions,
  partHolding,
  refuseUnknown,
  reportChanged,
  riskWith,
  strategyName,
} from "../position-command.ts";

const amount = z.string().refine((written) => parseFixed(written) !== undefined);
const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/);

const exportedPosition = z.object({
  account: z.string(),
  chainId: z.int(),
  strategy: z.string(),
  positions: z
    .array(
      z.strictObject({
        type: z.literal("position"),
        strategy: z.string(),
        marketId: z.string().refine(isMarketId),
        base: amount,
        quote: amount,
        cost: decimalText,
        fees: z.record(z.string(), amount),
        peak: decimalText,
        maxDrawdown: decimalText,
        day: z.int().optional(),
        dayStart: amount.optional(),
      }),
    )
    .min(1),
  digest: z.string(),
});

export default defineCliCommand({
  summary: "give a strategy the position that another bot exported, while its bot is stopped",
  details:
    "The strategy must be in the same markets and hold nothing there (POSITION_EXISTS), and an export is imported once (EXPORT_IMPORTED); its own PnL and fees stay and the exported ones are added. The bot must have run once. Then reset the position in the other bot.",
  args: {
    config: asPath(argument("<config>", "YAML file of the bot that takes it")),
    file: asPath(argument("<file>", "what `position export` printed")),
  },
  options: { strategy: strategyName },
  examples: ["position import other-bot.yaml eth-maker.json --strategy eth-maker"],
  async run({ args, options: { strategy }, overrides, terminal, env }) {
    if (strategy === undefined) throw usageError("Give the strategy with --strategy.");
    const inputs = { overrides, env };
    const written = jsonOf(readFileSync(args.file, "utf8"));
    const parsed = exportedPosition.safeParse(written);
    if (!parsed.success) throw usageError(`${args.file} is not what \`position export\` prints.`);
    const { account, chainId, positions, digest } = parsed.data;
    // Over the fields in the order in which they are written, which is not the schema's.
    if (digest !== exportDigest(written as typeof parsed.data)) {
      throw new TouchlineError(
        "EXPORT_CHANGED",
        `${args.file} was changed after it was exported; nothing was imported.`,
        {
          hint: "Export it again, and change the position afterwards by `position set` or `book`.",
        },
      );
    }
    const opened = await openPositions(args.config, inputs);
    const { kernel, chainId: ownChain } = opened.header;
    if (kernel.owner !== account || ownChain !== chainId) {
      terminal.warn(
        `The position is that of ${account} on chain ${chainId}, and this bot trades as ${kernel.owner} on chain ${ownChain}.`,
      );
    }
    const left = notImported(opened, digest, positions);
    const taken = left.map(({ day, dayStart, ...one }) => {
      const since = day === undefined || dayStart === undefined ? {} : { day, dayStart };
      return { ...one, ...since, strategy, marketId: one.marketId as MarketId };
    });
    refuseUnknown(
      strategy,
      opened.config.strategies.map(({ name }) => name),
    );
    for (const one of taken) refuseTaken(opened, one);
    const imports = (now: OpenedPositions, found: CarriedPosition) =>
      importsWith(now, found, digest);
    for (const one of taken) {
      const which = { strategy, market: one.marketId };
      const join = (found: CarriedPosition) => joined(found, one);
      const risk = (now: OpenedPositions) => riskJoined(now, one);
      const changed = await changePosition(args.config, inputs, which, join, { imports, risk });
      const { after } = changed;
      reportChanged(
        "position.import",
        `${strategy} in ${after.market} now holds ${after.base}.`,
        changed,
        terminal,
      );
    }
  },
});

/** Throws when the position cannot be taken, before any other one is. */
function refuseTaken(opened: OpenedPositions, one: CarriedPosition): void {
  if (partHolding(opened.config, one) === undefined) {
    throw usageError(`No strategy ${one.strategy} of this bot is in market ${one.marketId}.`);
  }
  for (const held of opened.positions) {
    if (held.strategy === one.strategy && held.marketId === one.marketId) joined(held, one);
  }
  riskJoined(opened, one);
}

function joined(held: CarriedPosition, taken: CarriedPosition): CarriedPosition {
  const { strategy, marketId, base } = held;
  if (fixed(base) !== ZERO) {
    throw new TouchlineError(
      "POSITION_EXISTS",
      `${strategy} already holds ${base} in ${marketId}; nothing was imported.`,
      { hint: "Two positions are not added up: `position reset` clears this one." },
    );
  }
  return positionJoined(held, taken) ?? refuseInexact(`the PnL of the day of ${strategy}`);
}

/** The risk ladders that count the position: the losses of both bots are added. */
function riskJoined({ carried, positions }: OpenedPositions, taken: CarriedPosition) {
  const { quote: quoteToken } = tokensOf(taken.marketId);
  return riskWith(carried, taken, ({ strategy }, baseline) => {
    const { day, dayStart, peak, currency = quoteToken, markets } = baseline;
    const start = startSince(taken, day);
    if (start !== undefined && currency === quoteToken) {
      const sum = (one: string, other: Fixed) => fixedText(addFixed(fixed(one), other));
      const takenPeak = fixedOf(new Decimal(taken.peak));
      return { ...baseline, dayStart: sum(dayStart, start), peak: sum(peak, takenPeak) };
    }
    const counted = positions.filter(
      (one) =>
        markets.includes(one.marketId) && (strategy === undefined || one.strategy === strategy),
    );
    const amounts = [dayStart, peak, ...counted.flatMap(({ base, quote }) => [base, quote])];
    if (amounts.every((amount) => fixed(amount) === ZERO)) return undefined;
    return refuseInexact(`the losses that the limits of ${strategy ?? "the bot"} count`);
  });
}

function refuseInexact(sum: string): never {
  throw new TouchlineError(
    "PNL_NOT_ADDED",
    `The imported PnL cannot be added exactly to ${sum}: the export lacks its value at the start of that day, or in the currency of the losses. Nothing was imported.`,
    {
      hint: "Run the other bot once today, stop it and export again. Or give base and price to `position set`, which begins the day and the loss limits anew.",
    },
  );
}
