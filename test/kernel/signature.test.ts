import { describe, expect, it } from "vitest";
import type { Input } from "../../src/kernel/input.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, placesOf } from "./harness.ts";

function unauthorized(intent: number): Input {
  const outcome = {
    type: "refused",
    reason: "unauthorized",
    message: "unknown session",
    retryAfterMs: undefined,
  } as const;
  return { type: "response", intent, outcome };
}

/** A bot whose venue has refused two of its signatures and owes it one response, whatever that is. */
function refusedTwice() {
  const bot = new Harness({
    decide: ({ book: { mid = 0 } }) =>
      setQuotes({ bids: [{ price: mid - 1, size: "1" }], asks: [{ price: mid + 1, size: "1" }] }),
  });
  let book = 100;
  /** Lets time pass. Returns the intents of what the bot places then. */
  const placesAfter = (ms: number, ...inputs: readonly Input[]): readonly number[] => {
    book += 1;
    const effects = bot.after(ms, bot.depth(book, [1999, book], []), ...inputs);
    return placesOf(effects).map(({ intent }) => intent);
  };
  const [first = 0, late = 0] = placesOf(bot.begin()).map(({ intent }) => intent);
  bot.step(unauthorized(first));
  const [second = 0] = placesAfter(3_000);
  expect(second).toBeGreaterThan(late);
  bot.step(unauthorized(second));
  /** The next orders that the bot places; none when it has stopped. */
  const nextPlaces = (...inputs: readonly Input[]): readonly number[] => {
    let places = placesAfter(3_000, ...inputs);
    for (let wait = 0; wait < 9 && places.length === 0; wait += 1) places = placesAfter(3_000);
    return places;
  };
  return { bot, late, nextPlaces };
}

describe("refused signatures", () => {
  it("stop the bot when there are three in a row over five seconds", () => {
    const { bot, nextPlaces } = refusedTwice();
    bot.step(...nextPlaces().map(unauthorized));
    expect(nextPlaces()).toEqual([]);
  });

  it("of the session wallet before count no more once another one signs", () => {
    const { bot, late, nextPlaces } = refusedTwice();
    const [own = 0] = nextPlaces({ type: "signerChanged" });
    expect(own).toBeGreaterThan(0);
    // A node that lags behind does not know the new wallet yet.
    bot.step(unauthorized(late), unauthorized(own));
    expect(nextPlaces()).not.toEqual([]);
  });

  it("of the wallet that signs now stop the bot", () => {
    const { bot, nextPlaces } = refusedTwice();
    let own = nextPlaces({ type: "signerChanged" });
    expect(own).not.toEqual([]);
    for (let round = 0; round < 3; round += 1) {
      bot.step(...own.map(unauthorized));
      own = nextPlaces();
    }
    expect(own).toEqual([]);
  });
});
