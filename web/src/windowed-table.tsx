import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** As in the style sheet. */
const ROW_PX = 28;
const ROWS = 40;
const ABOVE = 10;

/** A table that scrolls in itself. Only the rows around those that are seen exist, so that a thousand cost no more than forty. */
export function WindowedTable<Row>(props: {
  readonly label: string;
  readonly head: ComponentChildren;
  readonly rows: readonly Row[];
  /** A `tr` of one line. */
  readonly children: (row: Row) => ComponentChildren;
}) {
  const { label, head, rows, children } = props;
  const [topPx, setTopPx] = useState(0);
  const first = Math.max(0, Math.min(Math.floor(topPx / ROW_PX), rows.length) - ABOVE);
  const shown = rows.slice(first, first + ROWS);
  const below = rows.length - first - shown.length;
  if (rows.length === 0) return <p class="muted">None.</p>;
  return (
    <div
      class="list"
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget }) => setTopPx(currentTarget.scrollTop)}
    >
      <table class="rows" aria-rowcount={rows.length + 1}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>
          <Space rows={first} />
          {shown.map(children)}
          <Space rows={below} />
        </tbody>
      </table>
    </div>
  );
}

function Space({ rows }: { readonly rows: number }) {
  if (rows === 0) return null;
  return <tr class="space" aria-hidden="true" style={{ height: `${rows * ROW_PX}px` }} />;
}
