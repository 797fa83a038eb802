import { counted } from "../base/counted.ts";
import { TouchlineError } from "../base/error.ts";
import type { Market } from "../domain/market.ts";
import type { BotEnd } from "../runtime/bot.ts";
import { OPEN_ORDERS_HINT } from "./exit-code.ts";
import type { StartBotOptions } from "./start-bot.ts";
import { summaryText } from "./summary-text.ts";
import type { Terminal } from "./terminal.ts";
import { symbolsIn } from "./token-of.ts";

/** The error that a second signal reports: the bot was still waiting for the end of its orders. */
export function stoppedAtOnce(mode: StartBotOptions["mode"]["type"]): TouchlineError {
  return mode === "paper"
    ? new TouchlineError("INTERRUPTED", "The bot ended at once, without a summary.")
    : new TouchlineError(
        "INTERRUPTED",
        "The bot ended at once: its orders may still be open, and no summary was made.",
        {
          hint: OPEN_ORDERS_HINT,
        },
      );
}

/** `failure`: the error that nothing caught and that stopped the bot; undefined without one. */
export function reportEnd(
  end: BotEnd,
  failure: string | undefined,
  markets: readonly Market[],
  terminal: Terminal,
): void {
  terminal.print(summaryText(end.summary, terminal, symbolsIn(markets)));
  if (end.kept.length > 0) {
    const kept = `${counted(end.kept.length, "order")} left open for the next start`;
    terminal.say(`${kept}: ${end.kept.join(", ")}`);
  }
  if (!end.ok) terminal.fail(failedRun(end, failure));
  else if (failure !== undefined) {
    terminal.fail(
      new TouchlineError("UNCAUGHT_ERROR", `${uncaught(failure)}. None of its orders is left.`, {
        hint: "The log has the place where it was thrown. A strategy may use neither timers nor promises.",
      }),
    );
  }
  terminal.emit("summary", { ...end.summary });
}

function failedRun(end: BotEnd, failure: string | undefined): TouchlineError {
  const orders =
    end.inQuestion.length === 0 ? "" : ` Orders in question: ${end.inQuestion.join(", ")}.`;
  const cause = failure === undefined ? "" : `${uncaught(failure)}. `;
  return new TouchlineError(
    end.code ?? "RUN_FAILED",
    `${cause}The run did not end well: ${end.reason.replace(/\.$/, "")}.${orders}`,
    {
      hint:
        end.code === "ANOTHER_BOT"
          ? "Stop the other bot, or give this one an account of its own. Orders placed by hand just now may look like one: then start again."
          : OPEN_ORDERS_HINT,
    },
  );
}

function uncaught(failure: string): string {
  return `An error that nothing caught stopped the bot: ${failure}`;
}
