import fs from "node:fs";
import path from "node:path";
import {
  continueUnderNode,
  install,
  LaunchError,
  report,
  root,
  sourceCondition,
} from "../bin/bootstrap.js";

/** Installs what is missing, then runs a TypeScript file of the clone with our own arguments. */
export async function runSource(file, args = process.argv.slice(2)) {
  try {
    const script = path.join(root, file);
    if (!fs.existsSync(script)) {
      throw new LaunchError("NO_SUCH_SCRIPT", `${file} does not exist.`, "", 2);
    }
    await install();
    await continueUnderNode([sourceCondition], script, args);
  } catch (error) {
    report(error);
  }
}
