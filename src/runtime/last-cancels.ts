import type { CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Timer } from "../ports/clock.ts";

export interface LastCancelsOptions {
  readonly orderIds: readonly OrderId[];
  readonly timer: Timer;
  /** Signs and sends one cancel, with a nonce of its own, once the rate budget has a token for it. */
  cancel(orderId: OrderId): Promise<CommandOutcome>;
}

const ROUNDS = 8;
const ROUND_MS = 1_000;
/** A placement whose request was open at the crash may still arrive during these rounds, so `notFound` proves nothing before. */
const NOT_FOUND_ROUNDS = 6;

/**
 * Cancels own orders after the kernel has crashed. It repeats each order's cancel until the venue accepts it or has nothing to
 * cancel, for at most eight rounds. Resolves with the orders whose state is still unknown.
 */
export async function sendLastCancels(options: LastCancelsOptions): Promise<readonly OrderId[]> {
  let left = [...options.orderIds];
  for (let round = 1; round <= ROUNDS && left.length > 0; round += 1) {
    if (round > 1) await pause(options.timer, ROUND_MS);
    const outcomes = await Promise.all(
      left.map(async (orderId) => ({ orderId, outcome: await options.cancel(orderId) })),
    );
    left = outcomes
      .filter(({ outcome }) => !isSettled(outcome, round))
      .map(({ orderId }) => orderId);
  }
  return left;
}

function isSettled(outcome: CommandOutcome, round: number): boolean {
  if (outcome.type === "accepted") return true;
  if (outcome.type !== "refused") return false;
  // D13: `invalid` means the order is already terminal; `notFound` means it is not there, or not yet.
  if (outcome.reason === "invalid") return true;
  return outcome.reason === "notFound" && round >= NOT_FOUND_ROUNDS;
}

function pause(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timer.after(ms, resolve);
  });
}
