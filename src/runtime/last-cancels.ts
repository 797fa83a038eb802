import type { CancelCommand, CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { SignedEntry } from "../journal/entry.ts";
import type { Timer } from "../ports/clock.ts";
import type { SignedCommand } from "../spec/sign-command.ts";

export interface LastCancelsOptions {
  readonly orderIds: readonly OrderId[];
  readonly timer: Timer;
  /** Gives increasing nonces that were never used before. */
  nextNonce(): number;
  sign(command: CancelCommand): SignedCommand;
  submit(signed: SignedCommand): Promise<CommandOutcome>;
  /** Called before the cancels of a round are sent. */
  record(signed: readonly SignedEntry[]): void;
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
    const commands = left.map((orderId): { orderId: OrderId; signed: SignedCommand } => ({
      orderId,
      signed: options.sign({
        type: "cancel",
        intent: 0,
        nonce: options.nextNonce(),
        strategy: "",
        orderId,
      }),
    }));
    options.record(commands.map(({ signed }) => ({ intent: 0, ...signed })));
    const outcomes = await Promise.all(
      commands.map(async ({ orderId, signed }) => ({
        orderId,
        outcome: await options.submit(signed),
      })),
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
