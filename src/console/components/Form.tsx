import type { ComponentChildren } from "preact"
import { useRef, useState, useId } from "preact/hooks"
import { newIdempotencyKey } from "../api/ConsoleApi.ts"
import type { Problem } from "../api/ApiResponse.ts"
import { problemFrom } from "../state/LoadHooks.ts"
import { route, setQuery } from "../state/HashRouter.ts"
import { Button } from "./Button.tsx"
import { ProblemNote } from "./Loading.tsx"

export type Values = Readonly<Record<string, string>>

interface FormProps {
  readonly children?: ComponentChildren
  /** `key` is the idempotency key: the same for every attempt until one succeeds. */
  readonly onSubmit: (values: Values, key: string) => Promise<void>
  readonly submit: string
  readonly danger?: boolean
  /** Shown beside the submit button. */
  readonly aside?: ComponentChildren
}

/** Final refusal: the next attempt gets a new key. Requests that may still be running keep theirs. */
const isFinalRefusal = (status: number): boolean => status === 502 || (status >= 400 && status < 500 && status !== 409)

const valuesOf = (form: HTMLFormElement): Values =>
  Object.fromEntries(Array.from(new FormData(form), ([name, value]) => [name, String(value).trim()]))

export const Form = ({ aside, children, danger = false, onSubmit, submit }: FormProps) => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const key = useRef(newIdempotencyKey())
  const send = async (form: HTMLFormElement) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await onSubmit(valuesOf(form), key.current)
      key.current = newIdempotencyKey()
    } catch (error) {
      const found = problemFrom(error)
      if (isFinalRefusal(found.status)) key.current = newIdempotencyKey()
      setProblem(found)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      {children}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="form-end">
        {aside}
        <Button type="submit" kind={danger ? "danger" : "primary"} busy={busy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}

interface Common {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly required?: boolean
}

interface TextFieldProps extends Common {
  readonly kind?: "text" | "password" | "email" | "date" | "datetime-local" | "number" | "search" | "url" | "area"
  readonly value?: string
  readonly placeholder?: string
  readonly autoFocus?: boolean
  readonly inputMode?: "decimal" | "numeric" | "tel"
  readonly onInput?: (value: string) => void
  /** Called when the field is left, or confirmed by Enter. */
  readonly onChange?: (value: string) => void
  readonly options?: undefined
}

interface SelectFieldProps extends Common {
  readonly kind?: undefined
  /** Values and labels. */
  readonly options: ReadonlyArray<readonly [value: string, words: string]>
  readonly value?: string
  readonly onInput?: (value: string) => void
}

type FieldProps = TextFieldProps | SelectFieldProps

const FieldFrame = ({
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

export const Field = (props: FieldProps) => {
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
      <FieldFrame {...props} id={id}>
        <select {...shared} value={value} onInput={(event) => onInput?.(event.currentTarget.value)}>
          {props.options.map(([option, words]) => (
            <option key={option} value={option} selected={option === value}>
              {words}
            </option>
          ))}
        </select>
      </FieldFrame>
    )
  }
  const { autoFocus, inputMode, onChange, kind = "text", placeholder } = props
  const typed = { ...shared, placeholder, inputMode, autocomplete: "off", defaultValue: value, autofocus: autoFocus }
  return (
    <FieldFrame {...props} id={id}>
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
    </FieldFrame>
  )
}

/** Select whose value is kept in the address. */
export const FilterField = (props: Pick<SelectFieldProps, "label" | "name" | "options">) => {
  const query = Object.fromEntries(route.value.query)
  const { name } = props
  return <Field {...props} value={query[name] ?? ""} onInput={(value) => setQuery({ ...query, [name]: value })} />
}

export const AmountField = ({ currency, value }: { readonly currency: string; readonly value?: string }) => (
  <Field name="amount" label={`Amount in ${currency}`} inputMode="decimal" value={value} required />
)

/** The fields that are not empty. */
export const filled = <A extends Values>(values: A): Partial<A> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")) as Partial<A>
