import { ActionButtons, useActions } from "./actions.tsx";
import { Foreign } from "./foreign.tsx";
import { isOfSeveral, type Shown } from "./live.ts";
import { Log } from "./log.tsx";
import { OverviewTable } from "./overview-table.tsx";
import { linkOf } from "./place.ts";
import { BotSign, healthSigns } from "./signs.tsx";

/** What is wrong, then a row for each strategy in each market, then the totals. */
export function OverviewPage({ shown }: { readonly shown: Shown }) {
  return (
    <>
      <Problems shown={shown} />
      <OverviewTable shown={shown} />
      <Bots shown={shown} />
      <Foreign shown={shown} />
      <Facts shown={shown} />
      {!isOfSeveral(shown) && <Log shown={shown} />}
    </>
  );
}

/** The actions on each of several bots that takes them from here. */
function Bots({ shown }: { readonly shown: Shown }) {
  const { mayAct } = useActions();
  const rows = Object.values(shown.rows);
  const acting = rows.flatMap(({ bot }) => (bot?.mayAct === true ? [bot] : []));
  if (!mayAct || acting.length === 0) return null;
  return (
    <section class="panel">
      <h2>Bots</h2>
      {[...new Map(acting.map((bot) => [bot.name, bot])).values()].map((bot) => (
        <div key={bot.name} class="topbar-row">
          <BotSign bot={bot} />
          <ActionButtons scope={undefined} bot={bot} />
        </div>
      ))}
    </section>
  );
}

/** A problem of many strategies names these first. */
const NAMED = 4;

function Problems({ shown }: { readonly shown: Shown }) {
  const { problems } = shown;
  return (
    <section class="problems" aria-label="Problems" aria-live="polite">
      {problems.length === 0 && <p class="muted">No problems.</p>}
      <ul>
        {problems.map(({ level, of, text }) => (
          <li key={text} class={level}>
            <i aria-hidden="true">{healthSigns[level]}</i> {of.length === 0 && <b>the bot</b>}
            {of.slice(0, NAMED).map((name, at) => (
              <span key={name}>
                {at > 0 && ", "}
                <a href={linkOf(shown, name)}>{name}</a>
              </span>
            ))}
            {of.length > NAMED && ` and ${of.length - NAMED} more`}: {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ shown }: { readonly shown: Shown }) {
  const { requests, tickToOrderUs, guard, version } = shown;
  return (
    <p class="facts muted">
      <span>
        requests {requests.perSecond.toFixed(1)} of {requests.limit} a second
      </span>
      {tickToOrderUs.p50 !== undefined && (
        <span>
          tick to order {tickToOrderUs.p50} µs, p99 {tickToOrderUs.p99 ?? "–"} µs
        </span>
      )}
      <span>{guard === "connected" ? "guard connected" : "no guard"}</span>
      <span>Touchline {version}</span>
    </p>
  );
}
