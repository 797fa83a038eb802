// npm test: installs what is missing, then vitest under the right Node. Arguments go to vitest;
// --soak runs test/soak with its own long limits instead, but `hour` only when it is named.
import path from "node:path";
import { continueUnderNode, install, report, root } from "../bin/bootstrap.js";

const args = process.argv.slice(2);
const soakAt = args.indexOf("--soak");
if (soakAt >= 0) {
  args.splice(soakAt, 1);
  process.env.TOUCHLINE_SOAK = args.includes("hour") ? "hour" : "1";
}

try {
  await install();
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  process.chdir(root);
  await continueUnderNode([], vitest, ["run", ...args]);
} catch (error) {
  report(error);
}
