import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { argument } from "../option.ts";
import { pairs } from "../table.ts";

export const check = defineCommand({
  words: ["check"],
  summary: "validate a configuration and the plugins it names",
  args: { config: argument("<config>", "YAML of a bot or of a paper venue") },
  options: {},
  examples: ["check config/pure-market-making.yaml"],
  async run({ args, overrides, terminal, env }) {
    const { readConfig } = await import("../../config/read-config.ts");
    const { botConfigFrom, signerMistake } = await import("../../config/load-bot-config.ts");
    const source = readConfig(args.config, { overrides, env });
    const config = await botConfigFrom(source, { env });
    const warnings: string[] = [];
    if (config.account === undefined) {
      warnings.push("no account: good for replay and paper, `run` needs one.");
    } else {
      const mistake = signerMistake(config.account.signer.name, env);
      if (mistake !== undefined) warnings.push(`account.signer.name: ${mistake}.`);
    }
    for (const warning of warnings) terminal.warn(warning);
    terminal.emit("check", {
      config: config.file,
      kind: "bot",
      strategies: config.strategies.map(({ name, plugin, marketId }) => ({
        name,
        plugin,
        market: marketId,
      })),
      warnings,
    });
    terminal.print(`${config.file} is a valid bot.`);
    terminal.print(
      pairs(
        config.strategies.map((strategy) => [
          `  ${strategy.name}`,
          `${strategy.plugin} in market ${strategy.marketId}${strategy.definition.summary === undefined ? "" : `: ${strategy.definition.summary}`}`,
        ]),
      ),
    );
    return exitCode.done;
  },
});
