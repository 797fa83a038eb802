import type { Endpoint } from "../spec/endpoint.ts";

/** The endpoint of a request, or why there is none. */
export type Route<Name extends string> =
  | {
      readonly type: "found";
      readonly name: Name;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "method";
      readonly allowed: readonly string[];
      readonly names: readonly Name[];
    }
  | { readonly type: "path" };

interface Pattern<Name extends string> {
  readonly name: Name;
  readonly method: string;
  readonly segments: readonly string[];
}

/** Finds endpoints by method and path. A literal path takes precedence over one with a parameter, for every method (D11: 404, 405). */
export class Router<Name extends string> {
  readonly #literal = new Map<string, Pattern<Name>[]>();
  readonly #patterns: Pattern<Name>[] = [];

  constructor(endpoints: Readonly<Record<Name, Pick<Endpoint, "method" | "path">>>) {
    for (const name of Object.keys(endpoints) as Name[]) {
      const { method, path } = endpoints[name];
      const pattern = { name, method, segments: path.split("/") };
      if (path.includes("{")) this.#patterns.push(pattern);
      else this.#literal.set(path, [...(this.#literal.get(path) ?? []), pattern]);
    }
  }

  find(method: string, path: string): Route<Name> {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return choose(literal, method, {});
    const segments = path.split("/");
    for (const pattern of this.#patterns) {
      const parameters = matchSegments(pattern.segments, segments);
      if (parameters !== undefined) return choose([pattern], method, parameters);
    }
    return { type: "path" };
  }
}

function choose<Name extends string>(
  patterns: readonly Pattern<Name>[],
  method: string,
  parameters: Readonly<Record<string, string>>,
): Route<Name> {
  const found = patterns.find((pattern) => pattern.method === method);
  if (found !== undefined) return { type: "found", name: found.name, parameters };
  return {
    type: "method",
    allowed: patterns.map((pattern) => pattern.method),
    names: patterns.map((pattern) => pattern.name),
  };
}

function matchSegments(
  pattern: readonly string[],
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== path.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const given = path[at] ?? "";
    if (segment.startsWith("{")) {
      if (given === "") return undefined;
      parameters[segment.slice(1, -1)] = given;
    } else if (segment !== given) {
      return undefined;
    }
  }
  return parameters;
}
