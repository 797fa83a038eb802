// node supervised.js SCRIPT ARGS: SCRIPT as the child of a launcher. Whether a program has one is told by this file alone and by no
// variable: the programs that SCRIPT starts would inherit that, and take themselves for the launcher's child.
import { pathToFileURL } from "node:url";
import { dieWithLauncher } from "./supervise.js";

dieWithLauncher();
process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1]).href);
