/** What a TypeScript file says, apart: code, comments and the modules it imports. */
export interface ScannedSource {
  /** Same length and lines as the text, with comments and the insides of literals blanked. */
  readonly code: string;
  /** Everything but comments blanked. */
  readonly comments: string;
  readonly imports: readonly ScannedImport[];
}

export interface ScannedImport {
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

export function scanSource(text: string): ScannedSource {
  const { code, comments } = blank(text);
  return { code, comments, imports: findImports(text, code) };
}

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1))
    line += 1;
  return line;
}

function blank(text: string): { code: string; comments: string } {
  const code = text.split("");
  const comments = text.replace(/[^\n]/g, " ").split("");
  const blankCode = (from: number, to: number) => {
    for (let i = from; i < to; i += 1) if (code[i] !== "\n") code[i] = " ";
  };
  // One entry per open template literal: how many braces its current ${…} has open.
  const templates: number[] = [];
  let lastToken = "";
  let at = 0;

  /** From inside a template literal to its end, or to the next `${`. */
  const skipTemplate = (start: number): number => {
    let end = start;
    while (end < text.length) {
      if (text[end] === "\\") end += 2;
      else if (text[end] === "`") {
        templates.pop();
        break;
      } else if (text.startsWith("${", end)) {
        templates[templates.length - 1] = 0;
        break;
      } else end += 1;
    }
    blankCode(start, end);
    return text[end] === "`" ? end + 1 : end + 2;
  };

  while (at < text.length) {
    const character = text.charAt(at);
    if (text.startsWith("//", at) || text.startsWith("/*", at)) {
      const end = endOfComment(text, at);
      for (let i = at; i < end; i += 1) comments[i] = text.charAt(i);
      blankCode(at, end);
      at = end;
    } else if (character === '"' || character === "'") {
      const end = endOfQuoted(text, at, character);
      blankCode(at + 1, end - 1);
      at = end;
      lastToken = '"';
    } else if (character === "`") {
      templates.push(0);
      at = skipTemplate(at + 1);
      lastToken = '"';
    } else if (character === "}" && templates.length > 0 && templates.at(-1) === 0) {
      at = skipTemplate(at + 1);
      lastToken = '"';
    } else if (character === "/" && startsRegex(lastToken)) {
      const end = endOfRegex(text, at);
      blankCode(at + 1, end - 1);
      at = end;
      lastToken = '"';
    } else if (/[\w$]/.test(character)) {
      const word = /^[\w$]+/.exec(text.slice(at, at + 200))?.[0] ?? character;
      at += word.length;
      lastToken = word;
    } else {
      const depth = templates.at(-1);
      if (depth !== undefined && character === "{") templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && character === "}") templates[templates.length - 1] = depth - 1;
      if (/\S/.test(character)) lastToken = character;
      at += 1;
    }
  }
  return { code: code.join(""), comments: comments.join("") };
}

function endOfComment(text: string, at: number): number {
  const isLine = text.startsWith("//", at);
  const end = text.indexOf(isLine ? "\n" : "*/", at + 2);
  if (end < 0) return text.length;
  return isLine ? end : end + 2;
}

function endOfQuoted(text: string, at: number, quote: string): number {
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === quote || text[end] === "\n") return end + 1;
  }
  return text.length;
}

function endOfRegex(text: string, at: number): number {
  let inClass = false;
  for (let end = at + 1; end < text.length; end += 1) {
    const character = text[end];
    if (character === "\\") end += 1;
    else if (character === "[") inClass = true;
    else if (character === "]") inClass = false;
    else if ((character === "/" && !inClass) || character === "\n") return end + 1;
  }
  return text.length;
}

/** A slash divides after a value, and opens a regular expression after anything else. */
function startsRegex(lastToken: string): boolean {
  if (/^(return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/.test(lastToken)) {
    return true;
  }
  return !/^([\w$]+|[)\]"])$/.test(lastToken);
}

function findImports(text: string, code: string): ScannedImport[] {
  const imports: ScannedImport[] = [];
  const add = (index: number, quoteAt: number, typeOnly: boolean) => {
    const end = endOfQuoted(text, quoteAt, text.charAt(quoteAt));
    const specifier = text.slice(quoteAt + 1, end - 1);
    imports.push({ specifier, line: lineAt(text, index), typeOnly });
  };
  for (const match of code.matchAll(/\b(?:import|export)\b([^;"'`()]*?)\bfrom\s*["']/g)) {
    add(match.index, match.index + match[0].length - 1, namesOnlyTypes(match[1] ?? ""));
  }
  for (const match of code.matchAll(/\bimport\s*["']/g)) {
    add(match.index, match.index + match[0].length - 1, false);
  }
  for (const match of code.matchAll(/(typeof\s+)?\bimport\s*\(\s*["'`]/g)) {
    add(match.index, match.index + match[0].length - 1, match[1] !== undefined);
  }
  return imports;
}

function namesOnlyTypes(clause: string): boolean {
  if (/^\s*type\b(?!\s*,)/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/.exec(clause)?.[1];
  if (names === undefined) return false;
  const parts = names.split(",").filter((name) => name.trim() !== "");
  return parts.length > 0 && parts.every((name) => /^\s*type\s/.test(name));
}
