import { simulationTools } from "./simulation-tools.ts";
import { runWorld, type WorldOptions } from "./world.ts";

/** The child process of `WorldPool`: each message is a world to run, and its report is sent back. */
const tools = simulationTools();

process.on("message", (message) => {
  // Only `WorldPool` sends messages.
  void answer(message as WorldOptions);
});

async function answer(options: WorldOptions): Promise<void> {
  process.send?.(await runWorld(options, await tools));
}
