import { useEffect, useState } from "preact/hooks";
import { ActionProvider } from "./actions.tsx";
import { readSession, type Session } from "./api.ts";
import { OverviewPage } from "./overview-page.tsx";
import { useLive } from "./live.ts";
import { Login } from "./login.tsx";
import { MarketPage } from "./market-page.tsx";
import { PastPage } from "./past-page.tsx";
import { usePlace } from "./place.ts";
import { modeTexts } from "./signs.tsx";
import { TopBar } from "./top-bar.tsx";

export function App() {
  const place = usePlace();
  const [session, setSession] = useState<Session | "none" | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const look = (): void => {
    readSession().then(
      (found) => setSession(found ?? "none"),
      // A bot that is gone may come back; before the first answer there is nothing to show.
      (error: unknown) => setProblem(session === undefined ? String(error) : ""),
    );
  };
  useEffect(look, []);
  const isIn = session !== undefined && session !== "none";
  const { shown, staleSec } = useLive(place.page === "market" ? place.name : undefined, isIn, look);
  useTitle(shown);
  if (problem !== "") return <p class="wait">The bot cannot be reached. {problem}</p>;
  if (session === undefined) return <p class="wait">Waiting for the bot…</p>;
  if (session === "none" || place.page === "login") return <Login onDone={look} />;
  if (shown === undefined) return <p class="wait">Waiting for the bot…</p>;
  return (
    <ActionProvider mayAct={session.role === "control"} shown={shown} isStale={staleSec > 0}>
      <TopBar shown={shown} session={session} staleSec={staleSec} place={place} onLogout={look} />
      <main class={staleSec > 0 ? "stale" : ""} aria-busy={staleSec > 0}>
        {place.page === "overview" && <OverviewPage shown={shown} />}
        {place.page === "market" && <MarketPage key={place.name} shown={shown} name={place.name} />}
        {place.page === "past" && <PastPage shown={shown} />}
      </main>
    </ActionProvider>
  );
}

/** The window's title says the mode and what is wrong, for those who look at another window. */
function useTitle(shown: ReturnType<typeof useLive>["shown"]): void {
  const mode = shown === undefined ? "" : `${modeTexts[shown.mode][0]} ${shown.bot} – `;
  const count = shown?.problems.length ?? 0;
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${mode}Touchline`;
    document.documentElement.dataset["mode"] = shown?.mode ?? "";
  }, [mode, count]);
}
