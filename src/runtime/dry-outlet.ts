import type { Input } from "../kernel/input.ts";
import type { Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Outlet } from "./carry-out.ts";

/** The kernel repeats a command that was not sent; this delay keeps a dry run's log readable. */
const RESPONSE_DELAY_MS = 2_000;

/** Passes reads on, and logs each command instead of sending it: its outcome is `not-sent`. */
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
      const details =
        command.type === "place"
          ? {
              marketId: command.marketId,
              side: command.side,
              price: command.price,
              take: command.take?.name,
            }
          : command.type === "stop"
            ? { marketId: command.marketId, side: command.side, stopPrice: command.stopPrice }
            : command.type === "modify"
              ? { orderId: command.orderId, newPrice: command.newPrice }
              : { orderId: command.orderId };
      log.info({ type, intent, strategy, txHash, ...details }, "dry run: signed, not sent");
      const outcome = { type: "not-sent", message: "dry run" } as const;
      timer.after(RESPONSE_DELAY_MS, () => push({ type: "response", intent, outcome }));
    },
  };
}
