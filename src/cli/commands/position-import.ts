import { readFileSync } from "node:fs";
import { z } from "zod";
import { TouchlineError } from "../../base/error.ts";
import { jsonOf } from "../../control/protocol.ts";
import { parseFixed } from "../../domain/fixed.ts";
import { isMarketId } from "../../domain/market-of-ticker.ts";
import type { MarketId } from "../../domain/ids.ts";
import type { CarriedPosition } from "../../orders/carried.ts";
import { defineCliCommand } from "../command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument } from "../option.ts";
import {
  bookedPosition,
  changePosition,
  openPositions,
  partHolding,
  refuseUnknown,
  reportChanged,
  strategyName,
} from "../position-command.ts";

const amount = z.string().refine((written) => parseFixed(written) !== undefined);
const decimalText = z.string().regex(/^-?\d+(\.\d+)?$/);

const exportedPosition = z.object({
  account: z.string(),
  chainId: z.int(),
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
});

export default defineCliCommand({
  summary: "give a strategy the position that another bot exported, while its bot is stopped",
  details:
    "The strategy must be in the same markets and hold nothing there (POSITION_EXISTS). The bot must have run once. Then reset the position in the other bot.",
  args: {
    config: asPath(argument("<config>", "YAML file of the bot that takes it")),
    file: asPath(argument("<file>", "what `position export` printed")),
  },
  options: { strategy: strategyName },
  examples: ["position import other-bot.yaml eth-maker.json --strategy eth-maker"],
  async run({ args, options: { strategy }, overrides, terminal, env }) {
    if (strategy === undefined) throw usageError("Give the strategy with --strategy.");
    const inputs = { overrides, env };
    const parsed = exportedPosition.safeParse(jsonOf(readFileSync(args.file, "utf8")));
    if (!parsed.success) throw usageError(`${args.file} is not what \`position export\` prints.`);
    const { account, chainId, positions } = parsed.data;
    const opened = await openPositions(args.config, inputs);
    const { kernel, chainId: ownChain } = opened.header;
    if (kernel.owner !== account || ownChain !== chainId) {
      terminal.warn(
        `The position is that of ${account} on chain ${chainId}, and this bot trades as ${kernel.owner} on chain ${ownChain}.`,
      );
    }
    const taken = positions.map(({ day, dayStart, ...one }) => {
      const since = day === undefined || dayStart === undefined ? {} : { day, dayStart };
      return { ...one, ...since, strategy, marketId: one.marketId as MarketId };
    });
    refuseUnknown(
      strategy,
      opened.config.strategies.map(({ name }) => name),
    );
    for (const one of taken) refuseTaken(opened, one);
    for (const one of taken) {
      const which = { strategy, market: one.marketId };
      const changed = await changePosition(args.config, inputs, which, (found) => {
        refuseHeld(found);
        return one;
      });
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

function refuseTaken(
  { config, positions }: Awaited<ReturnType<typeof openPositions>>,
  one: CarriedPosition,
): void {
  if (partHolding(config, one) === undefined) {
    throw usageError(`No strategy ${one.strategy} of this bot is in market ${one.marketId}.`);
  }
  for (const held of positions) {
    if (held.strategy === one.strategy && held.marketId === one.marketId) refuseHeld(held);
  }
}

function refuseHeld(held: CarriedPosition): void {
  if (bookedPosition(held).position.base === 0n) return;
  throw new TouchlineError(
    "POSITION_EXISTS",
    `${held.strategy} already holds ${held.base} in ${held.marketId}; nothing was imported.`,
    { hint: "Two positions are not added up: `position reset` clears this one." },
  );
}
