// npm run build: src → dist, strategies → dist/strategies, web → dist/web and dist/report.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { withCompileCache } from "../bin/compile-cache.js";

const root = path.dirname(import.meta.dirname);
fs.rmSync(path.join(root, "dist"), { recursive: true, force: true });

run("node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json");
// Second, because strategies see the package as users do: through dist.
run("node_modules/typescript/bin/tsc", "--project", "tsconfig.strategies.json");
if (fs.existsSync(path.join(root, "web"))) {
  const flags = ["--config", path.join(root, "web", "vite.config.ts"), "--emptyOutDir", "--outDir"];
  const vite = (source, name) =>
    run("node_modules/vite/bin/vite.js", "build", source, ...flags, path.join(root, "dist", name));
  vite("web", "web");
  vite("web/report", "report");
}

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [path.join(root, script), ...args], {
    cwd: root,
    // stdout belongs to npm: `npm pack --json` prints there.
    stdio: ["ignore", 2, 2],
    env: withCompileCache(process.env),
  });
  if (status !== 0) process.exit(status ?? 1);
}
