import { emitKeypressEvents } from "node:readline";
import { TouchlineError } from "../base/error.ts";
import type { BotStatus } from "../dashboard/api-schema.ts";
import type { Interrupt } from "./interrupt.ts";
import { statusTable } from "./status-table.ts";
import { isReadByPerson, type Terminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";

const EVERY_MS = 1_000;
/** Moves to the top left and clears what follows. */
const TOP = "\u001b[H\u001b[J";

/** Shows a bot's status once a second until `q` or a signal: on a terminal as a picture, else a line each time. A bot that does not answer is shown as such. */
export async function watchStatus(
  ask: () => Promise<BotStatus>,
  { terminal, interrupt }: { readonly terminal: Terminal; readonly interrupt: Interrupt },
): Promise<void> {
  const isPicture = isReadByPerson(terminal);
  const release = isPicture ? endOnQ(interrupt) : () => undefined;
  try {
    while (!interrupt.stop.aborted) {
      const found = await ask().catch(unanswered);
      const nowMs = Date.now();
      if ("problem" in found) terminal.emit("status", { time: nowMs, problem: found.problem });
      else terminal.emit("status", { time: nowMs, ...found });
      const lines = "problem" in found ? [`PROBLEM  ${found.problem}`] : pictureOf(found, terminal);
      if (isPicture) process.stdout.write(TOP);
      if (isPicture) terminal.print([`${timeText(nowMs)} UTC  q ends`, ...lines].join("\n"));
      else terminal.print(`${timeText(nowMs)}  ${lines.join("; ").replaceAll("\n", "; ")}`);
      await interrupt.pause(EVERY_MS);
    }
  } finally {
    release();
  }
}

function unanswered(error: unknown): { readonly problem: string } {
  if (!(error instanceof TouchlineError)) throw error;
  return { problem: error.message };
}

/** Problems first, then a row for each strategy in each market. */
function pictureOf(status: BotStatus, terminal: Terminal): readonly string[] {
  const problems = problemsOf(status).map((problem) => terminal.red(`PROBLEM  ${problem}`));
  return [...problems, ...statusTable(status)];
}

/** What is wrong, as on the page, and the newest warning. */
function problemsOf({ problems, warnings }: BotStatus): readonly string[] {
  const newest = warnings.at(-1);
  return [
    ...problems.map(({ of, text }) =>
      [...(of.length === 0 ? [] : [of.join(", ")]), text].join(": "),
    ),
    ...(newest === undefined ? [] : [`newest warning, ${timeText(newest.timeMs)}: ${newest.text}`]),
  ];
}

/** Ends the command at `q`, and at Ctrl-C, which a terminal in raw mode gives as a key. Returns what puts the terminal back. */
function endOnQ(interrupt: Interrupt): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => undefined;
  const pressed = (_: unknown, { name, ctrl }: { name?: string; ctrl?: boolean }): void => {
    if (name === "q" || (name === "c" && ctrl === true)) interrupt.request();
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on("keypress", pressed);
  stdin.resume();
  return () => {
    stdin.off("keypress", pressed);
    stdin.setRawMode(false);
    stdin.pause();
  };
}
