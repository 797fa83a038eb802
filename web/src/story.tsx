import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../src/base/error-text.ts";
import { get, type Response } from "./api.ts";
import { timeText } from "./format.ts";
import { shortId } from "./orders.tsx";

/** Why an order was placed, and what became of it, from the journal. */
export function Story({
  orderId,
  onClose,
}: {
  readonly orderId: string;
  readonly onClose: () => void;
}) {
  const [story, setStory] = useState<Response<"orderStory"> | string | undefined>(undefined);
  useEffect(() => {
    get<Response<"orderStory">>(`orders/${orderId}/story`).then(setStory, (error: unknown) =>
      setStory(errorText(error)),
    );
  }, [orderId]);
  return (
    <section class="panel" aria-live="polite" aria-label={`Story of order ${shortId(orderId)}`}>
      <h2>
        Order {shortId(orderId)}…{" "}
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      </h2>
      {story === undefined && <p class="muted">Reading the journal…</p>}
      {typeof story === "string" && <p class="problem-text">{story}</p>}
      {typeof story === "object" && (
        <>
          {story.warning !== null && <p class="problem-text">{story.warning}</p>}
          <Events events={story.events} />
        </>
      )}
    </section>
  );
}

export function Events({ events }: { readonly events: Response<"moment">["events"] }) {
  return (
    <div class="list" tabIndex={0} role="region" aria-label="Events">
      <table class="rows events">
        <thead>
          <tr>
            <th>Time</th>
            <th>Event</th>
            <th>What happened</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ seq, time, what, text }, at) => (
            <tr key={`${seq} ${at}`}>
              <td>
                <span class="muted">{timeText(time)}</span>
              </td>
              <td>{what}</td>
              <td class="wrap">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
