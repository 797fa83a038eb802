#!/usr/bin/env node
// Starts touchline from a clone (sources, installing first when needed) or from the package (dist).
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  continueUnderNode,
  ignoreUserSignals,
  install,
  isClone,
  isNodeNewEnough,
  report,
  root,
  sourceCondition,
  stopWhenNpmIsGone,
  withoutDebugger,
} from "./bootstrap.js";

const flags = isClone ? [withoutDebugger, sourceCondition] : [withoutDebugger];
const isReady = isNodeNewEnough() && flags.every((flag) => process.execArgv.includes(flag));

if (isReady) {
  await start();
} else {
  try {
    await install();
    await continueUnderNode(flags, path.join(root, "bin", "touchline.js"), process.argv.slice(2));
  } catch (error) {
    report(error);
  }
}

/** The program is the exported `main`: it takes the arguments and resolves to the exit code. */
async function start() {
  const { isSupervised, mergeSignals } = await import("./supervise.js");
  if (!isSupervised()) stopWhenNpmIsGone();
  mergeSignals();
  ignoreUserSignals();
  const file = isClone ? ["src", "cli", "main.ts"] : ["dist", "cli", "main.js"];
  const { main } = await import(pathToFileURL(path.join(root, ...file)).href);
  process.exitCode = await main(process.argv.slice(2));
}
