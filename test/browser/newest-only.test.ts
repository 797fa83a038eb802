import { afterEach, expect, test, vi } from "vitest";
import { NewestOnly } from "../../web/src/newest-only.ts";

afterEach(() => {
  vi.useRealTimers();
});

function asked() {
  vi.useFakeTimers();
  const answers: ((answer: string) => void)[] = [];
  const asks: number[] = [];
  const found: string[] = [];
  const newest = new NewestOnly<number, string>(
    (wanted) => {
      asks.push(wanted);
      return new Promise((resolve) => answers.push(resolve));
    },
    (wanted, answer) => found.push(`${wanted}: ${answer}`),
  );
  const answer = async (text: string): Promise<void> => {
    answers.shift()?.(text);
    await vi.advanceTimersByTimeAsync(2_000);
  };
  return { newest, asks, found, answer };
}

test("one request is under way, after it that for the newest moment, whose content alone is shown", async () => {
  const { newest, asks, found, answer } = asked();
  newest.want(1);
  newest.want(2);
  await vi.advanceTimersByTimeAsync(2_000);
  newest.want(3);
  newest.want(4);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asks).toEqual([2]);
  await answer("two");
  expect(asks).toEqual([2, 4]);
  await answer("four");
  expect(found).toEqual(["4: four"]);
  newest.want(5);
  await vi.advanceTimersByTimeAsync(2_000);
  await answer("five");
  expect(found).toEqual(["4: four", "5: five"]);
  expect(asks).toEqual([2, 4, 5]);
});

test("it asks again while the journal is read for somebody else, until nobody wants it", async () => {
  const { newest, asks, found, answer } = asked();
  newest.want(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await answer("busy");
  newest.want(2);
  await answer("busy");
  await answer("two");
  expect(asks).toEqual([1, 1, 2]);
  expect(found).toEqual(["2: two"]);
  newest.want(3);
  await vi.advanceTimersByTimeAsync(2_000);
  newest.end();
  await answer("busy");
  await answer("");
  expect(asks).toEqual([1, 1, 2, 3]);
  expect(found).toEqual(["2: two"]);
});
