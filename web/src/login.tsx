import { useState } from "preact/hooks";
import { errorText } from "../../src/base/error-text.ts";
import { login } from "./api.ts";

/** Asks for an access token. A one-time link logs in without it. */
export function Login({ onDone }: { readonly onDone: () => void }) {
  const [problem, setProblem] = useState("");
  const [token, setToken] = useState("");
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    try {
      await login(token);
    } catch (error) {
      setProblem(errorText(error));
      return;
    }
    if (location.hash === "#login") location.hash = "";
    onDone();
  };
  return (
    <main class="login">
      <h1>Touchline</h1>
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <h2>Log in</h2>
        <label>
          Access token
          <input
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <button class="primary" type="submit">
          Log in
        </button>
        <p role="alert" class="problem-text">
          {problem}
        </p>
        <p class="muted">
          <code>touchline token create CONFIG --role control --name ME</code> makes a token.{" "}
          <code>touchline token login CONFIG</code> prints a link that logs this browser in once,
          without a token.
        </p>
      </form>
    </main>
  );
}
