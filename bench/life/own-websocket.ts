import { createRequire } from "node:module";
import path from "node:path";

/** The `ws` of the main install, which the bot uses: the peers' install in bench/ may have another one. */
export const OwnWebSocket = createRequire(path.join(import.meta.dirname, "../../package.json"))(
  "ws",
) as typeof import("ws").WebSocket;
