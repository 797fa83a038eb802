// npm run mutants -- ARGS: runs the simulator on deliberate bugs, test/sim/run-mutants.ts, under the right Node.
import { runSource } from "./run-source.js";

await runSource("test/sim/run-mutants.ts");
