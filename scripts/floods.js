// npm run floods: how long floods hold the event loops of venue and bot, bench/floods.ts, under the right Node.
import { runSource } from "./run-source.js";

await runSource("bench/floods.ts");
