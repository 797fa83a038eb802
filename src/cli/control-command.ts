import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { controlPath } from "../control/control-path.ts";
import { controlResponse, type ControlRequest, type ControlResponse } from "../control/protocol.ts";
import type { BotConfig } from "../config/load-bot-config.ts";
import type { BotStatus } from "../dashboard/api-schema.ts";
import { botStatus } from "../dashboard/bot-status.ts";
import { askLocal, isUnserved } from "../platform/local-socket.ts";
import { systemTimer } from "../platform/timer.ts";
import type { Store } from "../ports/store.ts";
import type { HaltFile } from "../runtime/halt-file.ts";
import { usageError } from "./exit-code.ts";
import { journalFolder } from "./journal-folder.ts";
import { argument, asPath } from "./option.ts";

/** The argument of commands to a bot that runs. */
export const runningBot = asPath(argument("<config>", "YAML file of the running bot"));

/** A bot answers within this time and its `timing.stop`, its last requests included. */
const RESPONSE_MS = 20_000;

/**
 * Sends a request to the running bot of a configuration. Waits for a bot that is just starting anew. Throws NO_BOT when none runs, CONTROL_FAILED when the bot does not answer or
 * could not do it. A halt is first written to the HALT file: it holds before a bot that is starting, or that hangs, answers.
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
  const note = request.command === "halt" ? await haltNote(config.journal.path, request) : "";
  const workMs = request.command === "flatten" ? request.withinMs : 0;
  const limitMs = RESPONSE_MS + config.timing.stopMs + workMs;
  const line = await askLocal(path, lineOf(request, config), limitMs).catch(
    async (error: unknown) => {
      throw await unanswered(file, config, error, note || (await resumeNote(config, request)));
    },
  );
  const response = controlResponse.parse(JSON.parse(line));
  if (response.ok) return response;
  if (response.isUsage) throw usageError(sentence(response.message));
  const { ordersLeft } = response;
  const orders = ordersLeft.length === 0 ? "" : ` Orders in question: ${ordersLeft.join(", ")}.`;
  const { lifted = [], remaining = [] } = response.resumed ?? {};
  const ended = lifted.length === 0 ? "" : ` Ended: ${lifted.join("; ")}.`;
  const left =
    lifted.length === 0 || remaining.length === 0 ? "" : ` Not ended: ${remaining.join("; ")}.`;
  throw new TouchlineError(
    "CONTROL_FAILED",
    `${sentence(response.message)}${orders}${ended}${left}`,
    {
      context: { ordersLeft: ordersLeft.join(", ") },
      ...(ordersLeft.length === 0
        ? {}
        : { hint: `\`touchline order open --config ${file}\` lists the orders at the venue.` }),
    },
  );
}

/** What the running bot of a configuration says of itself; throws as `askBot`. */
export async function askStatus(
  file: string,
  inputs: Omit<Parameters<typeof askBot>[1], "request">,
): Promise<BotStatus> {
  const { status } = await askBot(file, { request: { command: "status" }, ...inputs });
  return botStatus.parse(status);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, "")}.`;
}

/** Several bots may be set to one socket, so the request names the bot by its journal. */
function lineOf(request: ControlRequest, config: BotConfig): string {
  return JSON.stringify({ ...request, journal: journalFolder(config) });
}

/** The error for a request that no bot answered. */
async function unanswered(
  file: string,
  config: BotConfig,
  cause: unknown,
  note: string,
): Promise<TouchlineError> {
  const { createStore } = await import("../platform/store.ts");
  const store = createStore();
  const context = { socket: controlPath(config) };
  const isRunning = isLocked(store, config.journal.path);
  if (isUnserved(cause) && !isRunning) {
    return new TouchlineError("NO_BOT", `No bot of ${file} is running on this machine.${note}`, {
      context,
      hint: `It would listen at ${context.socket}. \`touchline order open --config ${file}\` lists the account's orders.`,
      cause,
    });
  }
  const reason = errorText(cause);
  return new TouchlineError(
    isRunning ? "CONTROL_FAILED" : "NO_BOT",
    `The bot of ${file} does not answer: ${reason.replace(/\.$/, "")}.${note}`,
    {
      context,
      hint: "End its process with SIGTERM; a file named HALT in its journal's folder halts it, too.",
      cause,
    },
  );
}

/** Names the HALT file that a resume has not reached; empty for other requests, and without one. */
async function resumeNote({ journal }: BotConfig, request: ControlRequest): Promise<string> {
  if (request.command !== "resume") return "";
  const file = await haltFileOf(journal.path);
  const reason = file.read();
  if (reason === undefined) return "";
  return ` ${file.path} still halts it, also after a restart (${reason}). To end the halt, use \`touchline resume\` when the bot answers, or remove the file before its next start.`;
}

/** Leaves a halt in the journal's folder, where a running bot finds it within a second and a starting one before its first step; says what that does without an answer of the bot. */
async function haltNote(
  journalPath: string,
  { strategy, reason }: Extract<ControlRequest, { command: "halt" }>,
): Promise<string> {
  if (strategy !== undefined)
    return " Nothing was halted: only a running bot halts one strategy, and `touchline halt` without --strategy halts the next start.";
  const file = await haltFileOf(journalPath);
  try {
    const isWritten = await file.writeSoon(reason, systemTimer);
    if (!isWritten) return ` ${file.path} may not be written: the disk does not answer.`;
  } catch (thrown) {
    const cause = errorText(thrown);
    return ` ${file.path} cannot be written: ${cause}`;
  }
  return ` ${file.path} is written: a bot that is starting or starts later quotes nothing until \`touchline resume\`.`;
}

async function haltFileOf(journalPath: string): Promise<HaltFile> {
  const { HaltFile } = await import("../runtime/halt-file.ts");
  const { createStore } = await import("../platform/store.ts");
  return new HaltFile(createStore(), journalPath);
}

/** Whether a process uses the journal. */
function isLocked(store: Store, journalPath: string): boolean {
  try {
    // A lock would make the folder.
    if (store.list(journalPath).length === 0) return false;
    if (!store.lock(journalPath)) return true;
    store.unlock(journalPath);
  } catch {
    // Nobody can tell.
  }
  return false;
}
