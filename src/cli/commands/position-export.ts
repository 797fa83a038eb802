import { TouchlineError } from "../../base/error.ts";
import { defineCliCommand } from "../command.ts";
import { askStatus } from "../control-command.ts";
import { usageError } from "../exit-code.ts";
import { asPath, argument } from "../option.ts";
import { exportDigest, openPositions, refuseUnknown, strategyName } from "../position-command.ts";
import type { ConfigInputs } from "../venue-options.ts";

export default defineCliCommand({
  summary: "print a strategy's position for another bot, which imports it",
  details:
    "With average cost, realised PnL and fees, as a line of JSON. The bot must be stopped, or the strategy halted or paused. Here the position stays until `position reset`.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  options: { strategy: strategyName },
  examples: ["position export my-bot.yaml --strategy eth-maker"],
  async run({ args, options: { strategy }, overrides, terminal, env }) {
    if (strategy === undefined) throw usageError("Give the strategy with --strategy.");
    const inputs = { overrides, env };
    const { positions, orders, header } = await openPositions(args.config, inputs);
    refuseUnknown(
      strategy,
      positions.map((one) => one.strategy),
    );
    const own = positions.filter((one) => one.strategy === strategy);
    await refuseQuoting(args.config, strategy, inputs);
    const open = orders.filter((order) => order.strategy === strategy);
    if (open.length > 0) {
      const ids = open.map(({ orderId }) => orderId).join(", ");
      terminal.warn(
        `Orders of ${strategy} may be open or have executions that are not booked: ${ids}.`,
      );
    }
    const { kernel, chainId } = header;
    const content = { account: kernel.owner, chainId, strategy, positions: own };
    const exported = { ...content, digest: exportDigest(content) };
    terminal.emit("position.export", exported);
    terminal.print(JSON.stringify(exported));
    terminal.note(
      `After the import: touchline position reset ${args.config} --strategy ${strategy}`,
    );
  },
});

/** Throws while a running bot quotes the strategy: the position would change after the export. */
async function refuseQuoting(file: string, strategy: string, inputs: ConfigInputs): Promise<void> {
  const status = await askStatus(file, inputs).catch((error: unknown) => {
    if (error instanceof TouchlineError && error.code === "NO_BOT") return undefined;
    throw error;
  });
  if (status === undefined) return;
  const rows = status.strategies;
  const quoting = rows.filter((row) => row.strategy === strategy && !row.halted);
  const isStill = quoting.every(({ paused, orders }) => paused && orders === 0);
  if (isStill && rows.length > 0) return;
  throw new TouchlineError("STILL_QUOTED", `The bot still quotes ${strategy}.`, {
    hint: `First: touchline halt ${file} --strategy ${strategy}`,
  });
}
