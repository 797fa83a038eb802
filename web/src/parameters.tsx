import { useEffect, useState } from "preact/hooks";
import { useActions } from "./actions.tsx";
import { get, type Response } from "./api.ts";

type Strategy = Response<"strategies">[number];
interface Property {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly restart?: boolean;
}

/** Parameters of a strategy, and a form that tunes them where the caller may act. */
export function Parameters({ strategy }: { readonly strategy: string }) {
  const { mayAct, start } = useActions();
  const [found, setFound] = useState<Strategy | undefined>(undefined);
  const [changes, setChanges] = useState<Readonly<Record<string, string>>>({});
  const [isOpen, setIsOpen] = useState(false);
  const read = (): void => {
    setChanges({});
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
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = changed
      .map(([name, value]) => `${name}: ${writtenText(found, name) || "default"} → ${value}`)
      .join(", ");
    start({
      action: "tune",
      title: `Tune ${strategy}`,
      text: `Changes ${text}. It holds until the next start or reload.`,
      body: { strategy, settings: changed.map(([name, value]) => `${name}=${value}`) },
    });
  };
  return (
    <section class="panel">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          Parameters of {strategy} {found === undefined ? "" : `(${found.plugin})`}
        </summary>
        <form onSubmit={submit} class="parameters">
          {properties.map(([name, property]) => (
            <Parameter
              key={name}
              name={name}
              property={property}
              value={changes[name] ?? writtenText(found, name)}
              isReadOnly={!mayAct || property.restart === true}
              onChange={(value) => setChanges({ ...changes, [name]: value })}
            />
          ))}
          {mayAct && (
            <div class="buttons">
              <button type="button" onClick={read}>
                Reset
              </button>
              <button type="submit" class="primary" disabled={changed.length === 0}>
                Review {changed.length} {changed.length === 1 ? "change" : "changes"}
              </button>
            </div>
          )}
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
