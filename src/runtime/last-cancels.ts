import type { CancelCommand, CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { SignedEntry } from "../journal/entry.ts";
import type { Timer } from "../ports/clock.ts";
import type { SignedCommand } from "../spec/sign-command.ts";

export interface LastCancelsOptions {
  readonly orderIds: readonly OrderId[];
  readonly timer: Timer;
  /** Rising, never used before. */
  nextNonce(): number;
  sign(command: CancelCommand): SignedCommand;
  submit(signed: SignedCommand): Promise<CommandOutcome>;
  /** Called before the cancels of a round are sent. */
  record(signed: readonly SignedEntry[]): void;
}

const ROUNDS = 8;
const ROUND_MS = 1_000;
/** A placement whose request was open at the end can land no later: until then `notFound` proves nothing. */
const NOT_FOUND_ROUNDS = 6;

/**
 * The way out when the kernel itself is broken: cancels every order that is known to be open, one by one, again until each is
 * accepted or the venue says that there is nothing to cancel. Resolves with the orders that are still in question.
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
  // D13: `invalid` is already terminal, `notFound` not there, or not there yet.
  if (outcome.reason === "invalid") return true;
  return outcome.reason === "notFound" && round >= NOT_FOUND_ROUNDS;
}

function pause(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timer.after(ms, resolve);
  });
}
