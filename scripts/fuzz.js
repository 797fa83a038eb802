// npm run fuzz [-- ARGS]: the fuzzer, test/fuzz/main.ts, under the right Node.
import { runSource } from "./run-source.js";

await runSource("test/fuzz/main.ts");
