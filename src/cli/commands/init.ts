import path from "node:path";
import { defineCliCommand } from "../command.ts";
import { asPath, optionalArgument, textOr } from "../option.ts";

export default defineCliCommand({
  summary: "create a project: bot.yaml, a strategy with its test, README and editor settings",
  args: {
    dir: asPath(optionalArgument("[dir]", "folder of the project (default: the current one)")),
  },
  options: { strategy: textOr("--name <name>", "name of the strategy", "first-maker") },
  examples: ["init my-bot", "init --name wide-spread"],
  async run({ args, options, terminal }) {
    const { checkStrategyName, typedPath } = await import("../scaffold.ts");
    const { makeProject } = await import("../project.ts");
    const folder = path.resolve(args.dir ?? ".");
    const name = checkStrategyName(options.strategy);
    const { written, kept } = makeProject(folder, name);
    const [made, left] = [written.map(typedPath), kept.map(typedPath)];
    terminal.emit("init", { dir: folder, written: made, kept: left });
    const listed = made.length > 0 ? made.join(", ") : "every file exists already";
    terminal.print(`${terminal.bold(path.basename(folder))}: ${listed}.`);
    if (left.length > 0) terminal.print(`Kept as they were: ${left.join(", ")}.`);
    terminal.print("\nNext:");
    if (args.dir !== undefined) terminal.print(`  cd ${typedPath(folder)}`);
    for (const [command, what] of [
      ["npm install", "install Touchline and types for your editor"],
      ["npx touchline demo --config bot.yaml", "see it trade on a paper venue"],
      ["npx touchline test", "run its tests"],
    ]) {
      terminal.print(`  ${command}  ${terminal.dim(`# ${what}`)}`);
    }
    terminal.print("README.md explains how to replay it and how to run it for real.");
  },
});
