import { ActionButtons } from "./actions.tsx";
import { logout, type Session } from "./api.ts";
import { ageText, timeText } from "./format.ts";
import { states } from "../../src/dashboard/strategy-state.ts";
import { isOfSeveral, type Shown } from "./live.ts";
import type { Place } from "./place.ts";
import { type Health, healthSigns, ModeSign } from "./signs.tsx";

export function TopBar(props: {
  readonly shown: Shown;
  readonly session: Session;
  readonly staleSec: number;
  readonly place: Place;
  readonly onLogout: () => void;
}) {
  const { shown, session, staleSec, place, onLogout } = props;
  const isOneBot = !isOfSeveral(shown);
  const isOn = (page: Place["page"]) =>
    place.page === page ? { "aria-current": "page" as const } : {};
  return (
    <header class="topbar">
      <div class="topbar-row">
        <ModeSign mode={shown.mode} />
        <h1>
          {shown.bot} <small>{shown.venue}</small>
        </h1>
        <Status shown={shown} staleSec={staleSec} />
        <nav aria-label="Pages">
          <a href="#" {...isOn("overview")}>
            Overview
          </a>
          {isOneBot && (
            <a href="#past" {...isOn("past")}>
              Past
            </a>
          )}
        </nav>
        <span class="who">
          {session.who}, {session.role}
          {session.role === "read" && isOneBot && (
            <>
              {" "}
              <a href="#login">Log in to act</a>
            </>
          )}
          {session.who !== "anybody" && (
            <button type="button" class="small" onClick={() => void logout().then(onLogout)}>
              Log out
            </button>
          )}
        </span>
      </div>
      {isOneBot && (
        <div class="topbar-row">
          <ActionButtons scope={undefined} />
        </div>
      )}
    </header>
  );
}

function Status({ shown, staleSec }: { readonly shown: Shown; readonly staleSec: number }) {
  if (staleSec > 0) {
    return (
      <span class="status bad" role="status">
        <i aria-hidden="true">{healthSigns.bad}</i> not connected, figures are{" "}
        {ageText(staleSec * 1000)} old
      </span>
    );
  }
  const health = healthOf(shown);
  const { quoting } = shown.totals;
  const all = Object.keys(shown.rows).length;
  const { length } = shown.problems;
  return (
    <span class={`status ${health}`}>
      <i aria-hidden="true">{healthSigns[health]}</i> {quoting} of {all} quoting
      {length > 0 && `, ${length} ${length === 1 ? "problem" : "problems"}`}{" "}
      <time class="muted">{timeText(shown.nowMs)}</time>
    </span>
  );
}

function healthOf({ problems, rows }: Shown): Health {
  if (problems.some(({ level }) => level === "bad")) return "bad";
  const isCalm = Object.values(rows).every(({ state }) => states[state][0] === "good");
  return problems.length === 0 && isCalm ? "good" : "warn";
}
