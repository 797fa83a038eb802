// npm run bench [-- ARGS]: the benchmarks, bench/main.ts, under the right Node. Peers to compare with
// are heavy, so they are installed apart from the main install.
import fs from "node:fs";
import path from "node:path";
import { root } from "../bin/bootstrap.js";
import { runSource } from "./run-source.js";

if (!fs.existsSync(path.join(root, "bench", "node_modules"))) {
  process.stderr.write(
    "bench: the peers ccxt, axios and nodejs-order-book are not installed. To compare with them: npm ci --prefix bench\n",
  );
}
await runSource("bench/main.ts");
