import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { asPath, integer, text } from "../option.ts";

const DEFAULT_PRICE = 100;
/** A world takes about a second. */
const DEFAULT_SEEDS = 20;

export default defineCliCommand({
  summary: "run a strategy in simulated worlds whose network, disk and venue fail",
  details:
    "Judges what holds for any strategy: money, orders, limits, no drift, and that each run can be re-run. --set NAME=VALUE sets a parameter.",
  options: {
    strategy: asPath(
      text("--strategy <file>", "file of the strategy, or a built-in one (required)"),
    ),
    seeds: integer("--seeds <n>", "number of worlds", {
      min: 1,
      max: 100_000,
      fallback: DEFAULT_SEEDS,
    }),
    from: integer("--from <seed>", "first world", { min: 1, fallback: 1 }),
    price: integer("--price <n>", "price of the market at the start, in quote token", {
      min: 1,
      max: 1_000_000,
      fallback: DEFAULT_PRICE,
    }),
  },
  examples: [
    "sim --strategy strategies/wide-spread.ts",
    "sim --strategy strategies/wide-spread.ts --seeds 100 --set spread=0.1% --json",
  ],
  async run({ options, overrides, terminal, env }) {
    if (options.strategy === undefined) throw usageError("--strategy is missing.");
    const { z } = await import("zod");
    const { loadPlugin } = await import("../../config/load-plugin.ts");
    const { parseYaml } = await import("../../config/parse-yaml.ts");
    const { loadCrypto } = await import("../../platform/crypto.ts");
    const { simulate } = await import("../../sim/simulate.ts");
    const loaded = await loadPlugin({
      plugin: options.strategy,
      configFile: path.resolve("--strategy"),
    });
    if (!loaded.ok) throw usageError(`--strategy: ${loaded.error}.`);
    const strategy = loaded.value;
    const written = parseYaml({ file: "--set", text: "{}", env, overrides }).validate(
      z.record(z.string(), z.unknown()),
    );
    if (written === undefined) throw usageError("--set is no NAME=VALUE of a parameter.");
    const parsed = strategy.params.safeParse(written);
    if (!parsed.success) {
      throw usageError(z.prettifyError(parsed.error), "Set parameters with --set NAME=VALUE.");
    }
    const crypto = await loadCrypto();
    const own = { params: written, price: options.price };
    let failed = 0;
    let fills = 0;
    for (let seed = options.from; seed < options.from + options.seeds; seed += 1) {
      const { violations, faults, reached, virtualMs } = await simulate({
        seed,
        crypto,
        strategy,
        own,
      });
      fills += reached.get("fill") ?? 0;
      terminal.emit("sim.world", { seed, violations, faults, virtualMs });
      await setImmediate();
      if (violations.length === 0) continue;
      failed += 1;
      terminal.print(`seed ${seed}`);
      for (const violation of violations) terminal.print(`  ${violation}`);
    }
    terminal.emit("sim", { worlds: options.seeds, failed, fills });
    terminal.print(`${options.seeds} worlds, ${failed} failed, ${fills} fills`);
    if (fills === 0)
      terminal.warn(
        `Nothing was filled: do the parameters fit a price of ${options.price} (--price)?`,
      );
    return failed === 0 ? exitCode.done : exitCode.failed;
  },
});
