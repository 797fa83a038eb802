import type { Input } from "../kernel/input.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Outlet } from "./driver.ts";

/** A command that was not sent is wished anew: this long between the two keeps a dry run readable. */
const ANSWER_MS = 2_000;

/** Reads for real, commands into the log: each comes back as not sent. */
export function dryOutlet(
  real: Outlet,
  options: { readonly timer: Timer; readonly log: Log; push(input: Input): void },
): Outlet {
  const { timer, log, push } = options;
  return {
    read: (read) => real.read(read),
    grant: (count) => real.grant?.(count),
    send(command, { txHash }) {
      const { type, intent, strategy } = command;
      const what =
        command.type === "place"
          ? { marketId: command.marketId, side: command.side, price: command.price }
          : command.type === "stop"
            ? { marketId: command.marketId, side: command.side, stopPrice: command.stopPrice }
            : command.type === "modify"
              ? { orderId: command.orderId, newPrice: command.newPrice }
              : { orderId: command.orderId };
      log.info({ type, intent, strategy, txHash, ...what }, "dry run: signed, not sent");
      const outcome = { type: "not-sent", message: "dry run" } as const;
      timer.after(ANSWER_MS, () => push({ type: "response", intent, outcome }));
    },
  };
}
