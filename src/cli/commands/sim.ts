import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { asPath, flag, integer, text } from "../option.ts";

const DEFAULT_PRICE = 100;
/** A world takes about a second. */
const DEFAULT_SEEDS = 20;

export default defineCliCommand({
  summary: "run a strategy in simulated worlds whose network, disk and venue fail",
  details:
    "Judges what holds for any strategy: it never fails, its money, orders and limits are right, nothing drifts, and each run can be re-run. --set NAME=VALUE sets a parameter.",
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
    price: integer("--price <n>", "price of its markets at the start, in quote token", {
      min: 1,
      max: 1_000_000,
      fallback: DEFAULT_PRICE,
    }),
    log: flag("--log", "show the bot's log on stderr"),
  },
  examples: [
    "sim --strategy strategies/wide-spread.ts",
    "sim --strategy strategies/wide-spread.ts --seeds 100 --set spread=0.1% --json",
  ],
  async run({ options, overrides, terminal, env }) {
    if (options.strategy === undefined) throw usageError("--strategy is missing.");
    const { z } = await import("zod");
    const { loadPlugin } = await import("../../config/load-plugin.ts");
    const { namedSources } = await import("../../config/source-names.ts");
    const { parseYaml } = await import("../../config/parse-yaml.ts");
    const { loadCrypto } = await import("../../platform/crypto.ts");
    const { guardStrategies, pureStrategy } = await import("../../backtest/impure-calls.ts");
    const { programCall } = await import("../scaffold.ts");
    const { createLog } = await import("../../platform/log.ts");
    const { simulate } = await import("../../sim/simulate.ts");
    guardStrategies();
    const loaded = await loadPlugin({
      plugin: options.strategy,
      configFile: path.resolve("--strategy"),
    });
    if (!loaded.ok) throw usageError(`--strategy: ${loaded.error}.`);
    const strategy = pureStrategy(loaded.value, loaded.value.name);
    const [, role, ...more] = strategy.markets ?? [];
    if (more.length > 0) {
      throw usageError(
        `${strategy.name} trades in ${more.length + 2} markets, and a simulated world has two at most.`,
        "Try it on a paper venue with all its markets: touchline venue, and touchline run.",
      );
    }
    const written = parseYaml({ file: "--set", text: "{}", env, overrides }).validate(
      z.record(z.string(), z.unknown()),
    );
    if (written === undefined) throw usageError("--set is no NAME=VALUE of a parameter.");
    const parsed = strategy.params.safeParse(written);
    if (!parsed.success) {
      throw usageError(z.prettifyError(parsed.error), "Set parameters with --set NAME=VALUE.");
    }
    const crypto = await loadCrypto();
    const log = options.log ? createLog({ level: "info" }) : undefined;
    const sources = new Set(namedSources(strategy.params, parsed.data).map(({ name }) => name));
    const own = { params: written, price: options.price, role, sources: [...sources] };
    let failed = 0;
    let first: number | undefined;
    let fills = 0;
    for (let seed = options.from; seed < options.from + options.seeds; seed += 1) {
      const { violations, faults, reached, virtualMs } = await simulate({
        seed,
        crypto,
        strategy,
        own,
        ...(log && { log }),
      });
      fills += reached.get("fill") ?? 0;
      terminal.emit("sim.world", { seed, violations, faults, virtualMs });
      await setImmediate();
      if (violations.length === 0) continue;
      failed += 1;
      first ??= seed;
      terminal.print(`seed ${seed}`);
      // A strategy that fails does so again after each start.
      const seen = new Set<string>();
      for (const violation of violations) {
        const problem = violation.slice(violation.indexOf(":"));
        if (!seen.has(problem)) terminal.print(`  ${violation}`);
        seen.add(problem);
      }
    }
    terminal.emit("sim", { worlds: options.seeds, failed, fills });
    terminal.print(
      `${strategy.name} in ${options.seeds} worlds with faults of network, disk and venue: ${failed} failed, ${fills} fills. ` +
        "Judged: no failure of the strategy, money, orders, limits, drift, every run re-run.",
    );
    if (first !== undefined) {
      const settings = overrides.map((each) => ` --set ${shellWord(each)}`).join("");
      const price = options.price === DEFAULT_PRICE ? "" : ` --price ${options.price}`;
      const file = shellWord(options.strategy);
      terminal.print(
        `See the first with its log: ${programCall()} sim --strategy ${file} --seeds 1 --from ${first} --log${price}${settings}`,
      );
    }
    if (fills === 0)
      terminal.warn(
        `Nothing was filled: do the parameters fit a price of ${options.price} (--price)?`,
      );
    return failed === 0 ? exitCode.done : exitCode.failed;
  },
});

/** The text as one argument of a shell command, quoted where it has to be. */
function shellWord(text: string): string {
  return /^[\w./=%:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
