import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../src/base/error-text.ts";
import { useActions } from "./actions.tsx";
import { get, type Response } from "./api.ts";
import { Effect } from "./effect.tsx";

type Strategy = Response<"strategies">[number];
interface Property {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly restart?: boolean;
}

/** The replay of these settings: under way, done, or why there is none. */
interface Replay {
  readonly settings: readonly string[];
  readonly result: Response<"proposal"> | string | undefined;
}

/** Parameters of a strategy, and a form that replays changes and then makes them, where the caller may act. */
export function Parameters({ strategy }: { readonly strategy: string }) {
  const { mayAct, start } = useActions();
  const [found, setFound] = useState<Strategy | undefined>(undefined);
  const [changes, setChanges] = useState<Readonly<Record<string, string>>>({});
  const [isOpen, setIsOpen] = useState(false);
  const [replay, setReplay] = useState<Replay | undefined>(undefined);
  const read = (): void => {
    setChanges({});
    setReplay(undefined);
    get<Response<"strategies">>("strategies").then(
      (all) => setFound(all.find(({ name }) => name === strategy)),
      () => undefined,
    );
  };
  useEffect(() => {
    if (isOpen) read();
  }, [strategy, isOpen]);
  const properties = propertiesOf(found);
  const changed = Object.entries(changes).filter(
    ([name, value]) => value !== writtenText(found, name),
  );
  const settings = changed.map(([name, value]) => `${name}=${value}`);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setReplay({ settings, result: undefined });
    const query = new URLSearchParams({ strategy, settings: JSON.stringify(settings) });
    let result: Replay["result"];
    try {
      result = await get<Response<"proposal">>(`proposal?${query.toString()}`);
    } catch (error) {
      result = errorText(error);
    }
    // Meanwhile the form may have changed.
    setReplay((newest) => (newest?.settings === settings ? { settings, result } : newest));
  };
  const apply = (): void => {
    const text = changed
      .map(([name, value]) => `${name}: ${writtenText(found, name) || "default"} → ${value}`)
      .join(", ");
    start({
      action: "tune",
      title: `Tune ${strategy}`,
      about: `${text}.`,
      body: { strategy, settings },
      done: read,
    });
  };
  const count = `${changed.length} ${changed.length === 1 ? "change" : "changes"}`;
  const result = replay?.result;
  return (
    <section class="panel">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          Parameters of {strategy} {found === undefined ? "" : `(${found.plugin})`}
        </summary>
        <form onSubmit={(event) => void submit(event)} class="parameters">
          {properties.map(([name, property]) => (
            <Parameter
              key={name}
              name={name}
              property={property}
              value={changes[name] ?? writtenText(found, name)}
              isReadOnly={!mayAct || property.restart === true}
              onChange={(value) => {
                setChanges({ ...changes, [name]: value });
                setReplay(undefined);
              }}
            />
          ))}
          {mayAct && (
            <div class="buttons">
              <button type="button" onClick={read}>
                Reset
              </button>
              <button
                type="submit"
                class={result === undefined ? "primary" : ""}
                disabled={changed.length === 0 || (replay !== undefined && result === undefined)}
              >
                Replay the last hour with {count}
              </button>
              {result !== undefined && (
                <button type="button" class="primary" onClick={apply}>
                  Apply {count}
                </button>
              )}
            </div>
          )}
          <div role="status">
            {replay !== undefined && result === undefined && (
              <p class="muted">Replaying the last hour…</p>
            )}
            {typeof result === "string" && <p class="problem-text">{result}</p>}
            {typeof result === "object" && <Effect replayed={result} />}
          </div>
        </form>
      </details>
    </section>
  );
}

function Parameter(props: {
  readonly name: string;
  readonly property: Property;
  readonly value: string;
  readonly isReadOnly: boolean;
  readonly onChange: (value: string) => void;
}) {
  const { name, property, value, isReadOnly, onChange } = props;
  const { description = "", enum: choices } = property;
  const id = `parameter-${name}`;
  const common = {
    id,
    value,
    disabled: isReadOnly,
    "aria-describedby": `${id}-hint`,
  };
  const ordinary = property.default === undefined ? "" : JSON.stringify(property.default);
  return (
    <div class="parameter">
      <label for={id}>{name}</label>
      {choices === undefined ? (
        <input
          {...common}
          placeholder={ordinary}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <select {...common} onInput={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">default</option>
          {choices.map((choice) => (
            <option key={String(choice)} value={String(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      )}
      <small id={`${id}-hint`}>
        {description}
        {property.restart === true && " Only a start takes it."}
      </small>
    </div>
  );
}

/** Those of the schema, and those that are written without one. */
function propertiesOf(found: Strategy | undefined): readonly (readonly [string, Property])[] {
  const schema = (found?.schema ?? {}) as {
    readonly properties?: Readonly<Record<string, Property>>;
  };
  const known = Object.entries(schema.properties ?? {});
  const names = new Set(known.map(([name]) => name));
  const written = Object.keys(found?.params ?? {}).filter((name) => !names.has(name));
  return [...known, ...written.map((name) => [name, {}] as const)];
}

/** A value as one writes it after `--set`; empty when it is not written. */
function writtenText(found: Strategy | undefined, name: string): string {
  const value = ((found?.params ?? {}) as Readonly<Record<string, unknown>>)[name];
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
