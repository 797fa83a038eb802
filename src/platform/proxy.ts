import { isLoopback } from "../base/loopback.ts";
import { TransportError } from "../base/error.ts";

/** Under the names that Node's agents read. */
export interface Proxies {
  readonly http_proxy: string | undefined;
  readonly https_proxy: string | undefined;
  readonly no_proxy: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Each by the variables that name it, the first one that is set. */
const variables = { http: ["http_proxy", "all_proxy"], https: ["https_proxy", "all_proxy"] };

/**
 * The proxies that the environment names in small letters or capitals; undefined when it names none, and for this machine itself. Throws
 * TransportError `PROXY_INVALID`.
 */
export function proxiesFor(hostname: string, env: Environment = process.env): Proxies | undefined {
  const [http, https] = [proxyIn(variables.http, env), proxyIn(variables.https, env)];
  if ((http === undefined && https === undefined) || isLoopback(hostname)) return undefined;
  return { http_proxy: http, https_proxy: https, no_proxy: valueOf("no_proxy", env) ?? "" };
}

/** The variables that name proxies, for a thread that gets no others. */
export function proxyVariables(env: Environment): Record<string, string> {
  return Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => {
      const value = valueOf(name, env);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function proxyIn(names: readonly string[], env: Environment): string | undefined {
  const name = names.find((each) => valueOf(each, env) !== undefined);
  const written = name === undefined ? undefined : valueOf(name, env);
  if (name === undefined || written === undefined) return undefined;
  const url = URL.parse(/^\w+:\/\//.test(written) ? written : `http://${written}`);
  if (url !== null && ["http:", "https:"].includes(url.protocol)) return url.href;
  // It may contain a password.
  const message = `The environment variable ${name.toUpperCase()} is not the address of an HTTP proxy, such as http://proxy:8080.`;
  throw new TransportError("not-sent", "PROXY_INVALID", message);
}

/** An empty variable says nothing, as in other programs. */
function valueOf(name: string, env: Environment): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}
