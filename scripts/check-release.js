// npm run check:release: what the steps of docs/releasing.md can find out by themselves. Ends with 1 when something is missing.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { withCompileCache } from "../bin/compile-cache.js";
import { auditProblem, repositoryProblem } from "./release-problems.js";

const root = path.dirname(import.meta.dirname);
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  cwd: root,
  encoding: "utf8",
  env: withCompileCache(process.env),
});
const problems = [repositoryProblem(manifest), auditProblem(stdout ?? "")];
const found = problems.filter((problem) => problem !== undefined);
for (const problem of found) process.stderr.write(`✗ ${problem}\n`);
if (found.length === 0)
  process.stdout.write("repository is set, and the registry knows no advisory\n");
process.exit(found.length === 0 ? 0 : 1);
