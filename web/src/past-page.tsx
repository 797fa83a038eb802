import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../src/base/error-text.ts";
import { get, Refusal, type Response } from "./api.ts";
import type { MomentStrategy } from "../../src/runtime/moment-story.ts";
import { ageText, priceText, timeText } from "./format.ts";
import type { Shown } from "./live.ts";
import { NewestOnly } from "./newest-only.ts";
import { Events } from "./story.tsx";

type Moment = Response<"moment">;
interface FoundMoment {
  readonly atMs: number;
  /** Or why there is none. */
  readonly moment: Moment | string;
}

async function momentAt(timeMs: number): Promise<Moment | string> {
  try {
    return await get<Moment>(`moment?at=${Math.round(timeMs)}`);
  } catch (error) {
    if (error instanceof Refusal && error.code === "JOURNAL_BUSY") return "busy";
    return errorText(error);
  }
}

/** Book, targets, orders and events of any moment of the journal. */
export function PastPage({ shown }: { readonly shown: Shown }) {
  const { startedMs } = shown;
  const [nowMs] = useState(shown.nowMs);
  const [atMs, setAtMs] = useState(nowMs);
  const [found, setFound] = useState<FoundMoment | undefined>(undefined);
  const [isReading, setIsReading] = useState(false);
  const [moments] = useState(
    () =>
      new NewestOnly(momentAt, (timeMs: number, moment) => {
        setFound({ atMs: timeMs, moment });
        setIsReading(false);
      }),
  );
  useEffect(() => () => moments.end(), [moments]);
  const read = (timeMs: number): void => {
    setAtMs(timeMs);
    setIsReading(true);
    moments.want(timeMs);
  };
  return (
    <section class="panel past">
      <h2>Past</h2>
      <label>
        Moment of this run: {new Date(atMs).toLocaleString()}, {ageText(nowMs - atMs)} before this
        page was opened
        <input
          type="range"
          min={startedMs}
          max={nowMs}
          step={1000}
          value={atMs}
          onInput={({ currentTarget }) => setAtMs(Number(currentTarget.value))}
          onChange={({ currentTarget }) => read(Number(currentTarget.value))}
        />
      </label>
      <div class="buttons">
        {[-60, -10, -1, 1, 10, 60].map((sec) => (
          <button key={sec} type="button" class="small" onClick={() => read(atMs + sec * 1000)}>
            {sec > 0 ? `+${sec} s` : `−${-sec} s`}
          </button>
        ))}
        <label>
          Any time
          <input
            type="datetime-local"
            step="1"
            onChange={({ currentTarget }) => {
              const timeMs = new Date(currentTarget.value).getTime();
              if (!Number.isNaN(timeMs)) read(timeMs);
            }}
          />
        </label>
      </div>
      <div aria-live="polite">
        {isReading && <p class="muted">Reading the journal…</p>}
        {found !== undefined && (
          <div class={found.atMs === atMs ? "" : "stale"}>
            {typeof found.moment === "string" ? (
              <p class="problem-text">{found.moment}</p>
            ) : (
              <Found moment={found.moment} />
            )}
          </div>
        )}
      </div>
    </section>
  );
}

function Found({ moment }: { readonly moment: Moment }) {
  const strategies = moment.strategies as unknown as readonly MomentStrategy[];
  return (
    <>
      <p>
        Run {moment.run}, {timeText(moment.time)}
        {moment.seq === null ? ", before its first step" : `, batch ${moment.seq}`}
        {moment.endedTime !== null && `, which ended at ${timeText(moment.endedTime)}`}
      </p>
      {moment.warning !== null && <p class="problem-text">{moment.warning}</p>}
      <div class="past-grid">
        {strategies.map((one) => (
          <PastBook key={`${one.strategy} ${one.marketId}`} one={one} />
        ))}
      </div>
      <h3>The second around it</h3>
      <Events events={moment.events} />
    </>
  );
}

/** The book, what a strategy wanted and its orders, by price. */
function PastBook({ one }: { readonly one: MomentStrategy }) {
  const { targets, notQuoted, orders, book } = one;
  const rows = [
    ...(targets?.quotes ?? []).map(({ side, price, size }) => {
      return { side, price, what: "target", quantity: size };
    }),
    ...orders.map(({ side, price, quantity, state }) => {
      return { side, price, what: `order, ${state}`, quantity };
    }),
    ...levelsOf("SELL", book?.asks),
    ...levelsOf("BUY", book?.bids),
  ].sort((left, right) => right.price - left.price);
  return (
    <section>
      <h3>
        {one.strategy}, market {one.marketId}
      </h3>
      {targets === undefined ? (
        <p class="muted">It had not decided yet.</p>
      ) : (
        <p class="muted">
          decided at {timeText(targets.timeMs)} with position {targets.position}
          {targets.mid !== undefined && `, mid ${priceText(targets.mid)}`}
        </p>
      )}
      {Object.entries(notQuoted).map(([side, reason]) => (
        <p key={side}>
          no {side === "BUY" ? "bid" : "ask"}: {reason}
        </p>
      ))}
      <table class="rows">
        <thead>
          <tr>
            <th>Side</th>
            <th class="number">Price</th>
            <th class="number">Quantity</th>
            <th>What</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ side, price, what, quantity }, at) => (
            <tr key={at} class={side === "BUY" ? "bid" : "ask"}>
              <td>{side === "BUY" ? "bid" : "ask"}</td>
              <td class="number">{priceText(price)}</td>
              <td class="number">{quantity}</td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function levelsOf(side: string, levels: readonly (readonly [number, number])[] = []) {
  return levels.map(([price, quantity]) => {
    return { side, price, what: "book", quantity: String(quantity) };
  });
}
