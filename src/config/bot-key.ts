import { z } from "zod";

/** Ways to run a bot's configuration. */
export const modes = ["run", "dry-run", "paper", "replay"] as const;
export type Mode = (typeof modes)[number];

/** Where a key of a bot's YAML has an effect. */
export interface KeyFacts {
  readonly modes: readonly Mode[];
  /** Nobody expects an effect in the other modes (a page's port in a replay): they do not warn. */
  readonly isQuiet?: boolean;
}

const facts = z.registry<KeyFacts>();

export const inEveryMode: KeyFacts = { modes };
/** Where a venue, or its public data, is connected to. */
export const connected: KeyFacts = { modes: ["run", "dry-run", "paper"] };
/** Where commands are signed. */
export const signed: KeyFacts = { modes: ["run", "dry-run"] };
/** Where a simulated venue fills the orders. */
export const simulated: KeyFacts = { modes: ["paper", "replay"] };
/** Where a recording is played. */
export const replayed: KeyFacts = { modes: ["replay"] };
export const quietly = (acts: KeyFacts): KeyFacts => ({ ...acts, isQuiet: true });

/** Says what a key, or each key below it that does not say so itself, means and where it acts. */
export function key<Schema extends z.ZodType>(
  schema: Schema,
  acts: KeyFacts,
  about: string,
): Schema {
  const described = schema.describe(about);
  facts.add(described, acts);
  return described;
}

/** One key of a bot's YAML. */
export interface BotKey extends KeyFacts {
  /** `strategies[].market`: the key in each entry of a list; `sources.*.type`: in each entry of a map. */
  readonly path: string;
  readonly about: string;
  /** With what makes it optional. */
  readonly schema: z.ZodType;
  /** False where it, or something above it, may be left out. */
  readonly isNeeded: boolean;
}

/** The keys of a schema in its order, blocks opened up; throws for one that does not say what it means and where it acts. */
export function botKeys(schema: z.ZodType): readonly BotKey[] {
  const keys = new Map<string, BotKey>();
  collect({ schema, path: "", inherited: undefined, isNeeded: true }, keys);
  return [...keys.values()];
}

interface Place {
  readonly schema: z.ZodType;
  readonly path: string;
  readonly inherited: KeyFacts | undefined;
  readonly isNeeded: boolean;
}

function collect(place: Place, keys: Map<string, BotKey>): void {
  const { schema, path } = place;
  const { inner, own, about, isOptional } = opened(schema);
  const inherited = own === undefined ? place.inherited : within(own, place.inherited);
  const isNeeded = place.isNeeded && !isOptional;
  if (inner instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(inner.shape)) {
      const at = path === "" ? name : `${path}.${name}`;
      collect({ schema: asSchema(field), path: at, inherited, isNeeded }, keys);
    }
    return;
  }
  if (inner instanceof z.ZodUnion && hasBlocks(inner)) {
    // Which of the forms it takes is the writer's choice, so no key of a single one is needed.
    for (const option of inner.options) {
      collect({ schema: asSchema(option), path, inherited, isNeeded: false }, keys);
    }
    return;
  }
  // One that says itself what it means has a table of its own.
  if (inner instanceof z.ZodRecord && about === undefined && hasBlocks(inner.valueType)) {
    collect(
      { schema: asSchema(inner.valueType), path: `${path}.*`, inherited, isNeeded: false },
      keys,
    );
    return;
  }
  if (inner instanceof z.ZodArray && hasBlocks(inner.element)) {
    collect({ schema: asSchema(inner.element), path: `${path}[]`, inherited, isNeeded }, keys);
    return;
  }
  if (keys.has(path)) return;
  if (inherited === undefined || about === undefined) {
    throw new Error(
      `${path} does not say what it means and where it acts: see src/config/bot-key.ts`,
    );
  }
  keys.set(path, { ...inherited, path, about, schema, isNeeded });
}

/** A key acts nowhere where the block around it does not. */
function within(own: KeyFacts, block: KeyFacts | undefined): KeyFacts {
  if (block === undefined) return own;
  return { ...own, modes: own.modes.filter((mode) => block.modes.includes(mode)) };
}

function isBlock(schema: unknown): boolean {
  return opened(asSchema(schema)).inner instanceof z.ZodObject;
}

function hasBlocks(schema: unknown): boolean {
  const { inner } = opened(asSchema(schema));
  return inner instanceof z.ZodUnion ? inner.options.some(isBlock) : isBlock(inner);
}

function asSchema(field: unknown): z.ZodType {
  return z.instanceof(z.ZodType).parse(field);
}

/** A schema without its wrappers, and what they say. */
function opened(schema: z.ZodType): {
  readonly inner: z.ZodType;
  readonly own: KeyFacts | undefined;
  readonly about: string | undefined;
  readonly isOptional: boolean;
} {
  let inner = schema;
  let own = facts.get(inner);
  let about = inner.description;
  let isOptional = false;
  for (;;) {
    if (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault
    ) {
      isOptional = true;
      inner = asSchema(inner.def.innerType);
    } else if (inner instanceof z.ZodNullable) inner = asSchema(inner.def.innerType);
    else if (inner instanceof z.ZodPipe) inner = asSchema(inner.def.in);
    else return { inner, own, about, isOptional };
    own ??= facts.get(inner);
    about ??= inner.description;
  }
}
