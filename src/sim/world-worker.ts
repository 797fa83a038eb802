import { simulationTools } from "./simulation-tools.ts";
import { runWorld, type WorldOptions } from "./world.ts";

/** A child process of a `ProcessPool`: each message is a world to run, and its report is sent back. */
const tools = simulationTools();

process.on("message", (message) => {
  // Only the pool of `src/sim/main.ts` sends messages.
  void answer(message as WorldOptions);
});

async function answer(options: WorldOptions): Promise<void> {
  process.send?.(await runWorld(options, await tools));
}
