import { useEffect, useRef } from "preact/hooks";
import { actions } from "../../src/control/actions.ts";
import type { Field, Intent } from "./intents.ts";
import type { Shown } from "./live.ts";
import { ModeSign } from "./signs.tsx";

/** Asks before an action, with what it is about and its fields. */
export function Confirmation(props: {
  readonly intent: Intent;
  readonly mode: Shown["mode"];
  readonly isStale: boolean;
  readonly onConfirm: (body: object) => void;
  readonly onCancel: () => void;
}) {
  const { intent, mode, isStale, onConfirm, onCancel } = props;
  const { action, title, about, body, fields = [], fieldsIn } = intent;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const given = Object.fromEntries(
      fields.map(({ name, read }) => {
        const value = form.get(name);
        return [name, read(typeof value === "string" ? value : "")];
      }),
    );
    const part = fieldsIn === undefined ? body : (Reflect.get(body, fieldsIn) as object);
    const filled = { ...part, ...given };
    onConfirm(fieldsIn === undefined ? filled : { ...body, [fieldsIn]: filled });
  };
  return (
    <dialog ref={dialog} onClose={onCancel} aria-labelledby="confirm-title">
      <form onSubmit={confirm}>
        <h2 id="confirm-title">
          <ModeSign mode={mode} /> {title}
        </h2>
        {about !== undefined && <p>{about}</p>}
        <p>{actions[action].summary}</p>
        {isStale && <p class="problem-text">The figures on this page are out of date.</p>}
        {fields.map((field) => {
          const { name, label, type, choices = [] } = field;
          return (
            <label key={name} class={type === "checkbox" ? "check" : ""}>
              {type === "checkbox" && <input name={name} type="checkbox" />}
              {label}
              {type === "select" && (
                <select name={name}>
                  {choices.map(([choice, choiceText]) => (
                    <option key={choice} value={choice}>
                      {choiceText}
                    </option>
                  ))}
                </select>
              )}
              {type === "number" && <input {...common(field)} type="number" step="any" />}
              {type === "datetime-local" && <input {...common(field)} type="datetime-local" />}
              {type === "text" && <input {...common(field)} maxLength={200} />}
            </label>
          );
        })}
        <div class="buttons">
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {title}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function common({ name, value = "", isOptional = false }: Field) {
  return { name, defaultValue: value, required: !isOptional };
}
