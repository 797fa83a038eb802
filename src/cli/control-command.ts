import { TouchlineError } from "../base/error.ts";
import { controlPath } from "../control/control-path.ts";
import { controlResponse, type ControlRequest, type ControlResponse } from "../control/protocol.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import { askLocal } from "../platform/local-socket.ts";
import { journalFolder } from "./journal-folder.ts";

/** A bot answers within this time and its `timing.stop`, its last requests included. */
const RESPONSE_MS = 20_000;

/**
 * Sends a request to the running bot of a configuration. Throws NO_BOT when none answers, CONTROL_FAILED when it answers that it could
 * not do it.
 */
export async function askBot(
  file: string,
  options: {
    readonly request: ControlRequest;
    readonly overrides: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<Extract<ControlResponse, { ok: true }>> {
  const { loadBotConfig } = await import("../config/load-bot-config.ts");
  const { overrides, env, request } = options;
  const config = await loadBotConfig(file, { overrides, env });
  const path = controlPath(config);
  const limitMs = RESPONSE_MS + config.timing.stopMs;
  const line = await askLocal(path, lineOf(request, config), limitMs).catch((error: unknown) => {
    throw noBot(file, path, error);
  });
  const response = controlResponse.parse(JSON.parse(line));
  if (response.ok) return response;
  const orders =
    response.ordersLeft.length === 0
      ? ""
      : ` Orders in question: ${response.ordersLeft.join(", ")}.`;
  throw new TouchlineError("CONTROL_FAILED", `${response.message}.${orders}`, {
    context: { ordersLeft: response.ordersLeft.join(", ") },
    hint: "`touchline order open` lists the orders at the venue.",
  });
}

/** Several bots may be set to one socket, so the request names the bot by its journal. */
function lineOf(request: ControlRequest, config: BotConfig): string {
  return JSON.stringify({ ...request, journal: journalFolder(config) });
}

function noBot(file: string, path: string, cause: unknown): TouchlineError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isAbsent = code === "ENOENT" || code === "ECONNREFUSED";
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TouchlineError(
    "NO_BOT",
    isAbsent
      ? `No bot of ${file} is running on this machine.`
      : `The bot of ${file} does not answer: ${reason}.`,
    {
      context: { socket: path },
      hint: isAbsent
        ? `It would listen at ${path}. \`touchline order open --config ${file}\` lists the account's orders.`
        : "End its process with SIGTERM; a file named HALT in its journal's folder halts it, too.",
      cause,
    },
  );
}
