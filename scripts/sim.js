// npm run sim -- ARGS: the simulator, src/sim/main.ts, under the right Node.
import { runSource } from "./run-source.js";

await runSource("src/sim/main.ts");
