import { timeText } from "./format.ts";
import type { Shown } from "./live.ts";

/** Warnings and operators' commands, newest first. */
export function Log({ shown: { log } }: { readonly shown: Shown }) {
  const rows = Object.entries(log).reverse();
  return (
    <section class="panel log">
      <h2>Log</h2>
      {rows.length === 0 && <p class="muted">No warning and no command yet.</p>}
      <ul tabIndex={rows.length > 0 ? 0 : -1} aria-label="Log, newest first">
        {rows.map(([number, { timeMs, text }]) => (
          <li key={number}>
            <time class="muted">{timeText(timeMs)}</time> {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
