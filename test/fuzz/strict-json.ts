/**
 * Parses JSON by RFC 8259: one value and no byte order mark. Unlike JSON.parse it refuses duplicate fields of an object.
 * Throws SyntaxError.
 */
export function parseStrictJson(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.space();
  if (reader.at !== text.length) throw new SyntaxError("something follows");
  return value;
}

const DEPTH_MAX = 2000;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  space(): void {
    while (/[ \t\n\r]/.test(this.#text[this.at] ?? "")) this.at += 1;
  }

  value(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new SyntaxError("too deep");
    this.space();
    const first = this.#text[this.at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    if (first === '"') return this.#string();
    for (const [word, meaning] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (!this.#text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return meaning;
    }
    return Number(this.#match(number));
  }

  #object(depth: number): Readonly<Record<string, unknown>> {
    const fields = new Map<string, unknown>();
    this.at += 1;
    this.space();
    if (this.#text[this.at] === "}") {
      this.at += 1;
      return {};
    }
    for (;;) {
      this.space();
      const name = this.#string();
      if (fields.has(name)) throw new SyntaxError("a field twice");
      this.space();
      this.#expect(":");
      fields.set(name, this.value(depth + 1));
      if (this.#next("}")) return Object.fromEntries(fields);
    }
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.at += 1;
    this.space();
    if (this.#text[this.at] === "]") {
      this.at += 1;
      return items;
    }
    for (;;) {
      items.push(this.value(depth + 1));
      if (this.#next("]")) return items;
    }
  }

  /** Reads a comma or the end character; returns true for the end. */
  #next(end: string): boolean {
    this.space();
    if (this.#text[this.at] === end) {
      this.at += 1;
      return true;
    }
    this.#expect(",");
    return false;
  }

  #expect(character: string): void {
    if (this.#text[this.at] !== character) throw new SyntaxError(`no ${character}`);
    this.at += 1;
  }

  #string(): string {
    return JSON.parse(this.#match(string)) as string;
  }

  #match(form: RegExp): string {
    form.lastIndex = this.at;
    const found = form.exec(this.#text)?.[0];
    if (found === undefined) throw new SyntaxError("no value");
    this.at += found.length;
    return found;
  }
}
