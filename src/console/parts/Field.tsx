import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface Common {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly required?: boolean
}

interface Text extends Common {
  readonly kind?: "text" | "password" | "email" | "date" | "datetime-local" | "number" | "search" | "url" | "area"
  readonly value?: string
  readonly placeholder?: string
  readonly autoFocus?: boolean
  readonly inputMode?: "decimal" | "numeric" | "tel"
  readonly onInput?: (value: string) => void
  /** When it is left, or confirmed by Enter. */
  readonly onChange?: (value: string) => void
  readonly options?: undefined
}

interface Choice extends Common {
  readonly kind?: undefined
  /** Value and words. */
  readonly options: ReadonlyArray<readonly [value: string, words: string]>
  readonly value?: string
  readonly onInput?: (value: string) => void
}

type Props = Text | Choice

const Frame = ({
  children,
  hint,
  id,
  label,
  required
}: Common & { readonly id: string; readonly children: ComponentChildren }) => (
  <div class="field">
    <label for={id}>
      {label}
      {required === false && <span class="optional"> optional</span>}
    </label>
    {children}
    {hint !== undefined && (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
  </div>
)

export const Field = (props: Props) => {
  const id = useId()
  const { hint, name, onInput, required, value } = props
  const shared = {
    id,
    name,
    required: required === true,
    "aria-describedby": hint === undefined ? undefined : `${id}-hint`
  }
  if (props.options !== undefined) {
    return (
      <Frame {...props} id={id}>
        <select {...shared} value={value} onInput={(event) => onInput?.(event.currentTarget.value)}>
          {props.options.map(([option, words]) => (
            <option key={option} value={option} selected={option === value}>
              {words}
            </option>
          ))}
        </select>
      </Frame>
    )
  }
  const { autoFocus, inputMode, onChange, kind = "text", placeholder } = props
  const typed = { ...shared, placeholder, inputMode, autocomplete: "off", defaultValue: value, autofocus: autoFocus }
  return (
    <Frame {...props} id={id}>
      {kind === "area" ? (
        <textarea {...typed} rows={4} onInput={(event) => onInput?.(event.currentTarget.value)} />
      ) : (
        <input
          {...typed}
          type={kind as "text"}
          spellcheck={false}
          onInput={(event) => onInput?.(event.currentTarget.value)}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    </Frame>
  )
}
