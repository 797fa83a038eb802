import path from "node:path";
import { defineCliCommand } from "../command.ts";
import { asPath, argument, oneOf, textOr } from "../option.ts";
import { startingPoints } from "../scaffold.ts";

export default defineCliCommand({
  summary: "create a strategy with its test, ready to run",
  args: { name: argument("<name>", "name of the file and the strategy, such as wide-spread") },
  options: {
    out: asPath(textOr("--out <dir>", "folder for the two files", "strategies")),
    from: oneOf(
      "--from <name>",
      `strategy to start from: ${startingPoints.join(", ")}`,
      startingPoints,
    ),
  },
  examples: [
    "new strategy wide-spread",
    "new strategy my-bands --from bands",
    "new strategy wide-spread --out my/strategies",
  ],
  async run({ args, options, terminal }) {
    const { checkStrategyName, programCall, strategyFiles, typedPath, writeNew } = await import(
      "../scaffold.ts"
    );
    const { configFile, hasDemoRecording } = await import("../demo-files.ts");
    const name = checkStrategyName(args.name);
    const files = strategyFiles(path.resolve(options.out), name, options.from);
    writeNew(files);
    const [strategy = "", test = ""] = files.map((file) => typedPath(file.path));
    terminal.emit("new.strategy", { name, strategy, test });
    terminal.print(`${terminal.bold(name)}: ${strategy}, and its test ${test}.`);
    const { loadPlugin } = await import("../../config/load-plugin.ts");
    const loaded = await loadPlugin({
      plugin: path.resolve(files[0]?.path ?? ""),
      configFile: path.resolve("bot.yaml"),
    });
    const roles = (loaded.ok && loaded.value.markets) || [];
    const isOfSeveral = roles.length > 1;
    const demo = typedPath(configFile("demo.yaml"));
    const inDemo = isOfSeveral ? [] : [["see it trade", `demo --strategy ${strategy}`]];
    const recorded =
      hasDemoRecording() && !isOfSeveral
        ? [
            [
              "over a recording",
              `replay ${demo} --strategy ${strategy} --data ${typedPath(configFile("recordings/zilusdt"))} --market 1_2=ZIL_USDT`,
            ],
          ]
        : [];
    terminal.print("\nNext:");
    for (const [what = "", command = ""] of [
      ["run its tests", `test ${test}`],
      ...inDemo,
      ...recorded,
    ]) {
      terminal.print(`  ${programCall()} ${command}  ${terminal.dim(`# ${what}`)}`);
    }
    const ids = roles.map((role, at) => `${role}: "${at === 0 ? 1 : at + 2}_2"`);
    const markets = isOfSeveral ? `markets: { ${ids.join(", ")} }` : 'market: "1_2"';
    terminal.print(`
For run, paper and replay, add it to a bot's YAML (touchline init creates one; the path is relative to it):
  strategies:
    - name: ${name}
      plugin: ./${strategy}
      ${markets}`);
  },
});
