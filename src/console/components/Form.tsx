import type { ComponentChildren } from "preact"
import { useRef, useState, useId } from "preact/hooks"
import { newIdempotencyKey } from "../api/ConsoleApi.ts"
import type { Problem } from "../api/ApiResponse.ts"
import { problemFrom, MAX_OPTIONS, useOrgItems } from "../state/LoadHooks.ts"
import { route, setQuery } from "../state/HashRouter.ts"
import { Button } from "./Button.tsx"
import { ProblemNote } from "./Loading.tsx"
import { optionsMatching } from "../state/TypedInput.ts"

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

interface FieldProps extends Common {
  readonly kind?: "text" | "password" | "email" | "date" | "datetime-local" | "search" | "url" | "area"
  /** Values and labels of a select. */
  readonly options?: ReadonlyArray<readonly [value: string, words: string]>
  readonly value?: string
  readonly placeholder?: string
  readonly inputMode?: "decimal" | "numeric" | "tel"
  readonly onInput?: (value: string) => void
  /** Called when the field is left, or confirmed by Enter. */
  readonly onChange?: (value: string) => void
}

export const FieldFrame = ({
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
  const { hint, inputMode, kind = "text", name, onChange, onInput, options, placeholder, required, value } = props
  const shared = {
    id,
    name,
    required: required === true,
    "aria-describedby": hint === undefined ? undefined : `${id}-hint`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onInput?.(event.currentTarget.value)
  }
  const typed = { ...shared, placeholder, inputMode, autocomplete: "off", defaultValue: value }
  return (
    <FieldFrame {...props} id={id}>
      {options !== undefined ? (
        <select {...shared} value={value}>
          {options.map(([option, words]) => (
            <option key={option} value={option} selected={option === value}>
              {words}
            </option>
          ))}
        </select>
      ) : kind === "area" ? (
        <textarea {...typed} rows={4} />
      ) : (
        <input
          {...typed}
          type={kind as "text"}
          spellcheck={false}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  )
}

/** Select whose value is kept in the address. */
export const FilterField = (props: Pick<FieldProps, "label" | "name" | "options">) => {
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

interface PickerProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** undefined: still loading. */
  readonly options: ReadonlyArray<readonly [value: string, words: string]> | undefined
  /** Shown when there are no options. */
  readonly none: string
}

/** Longer lists get a filter field. */
const SEARCH_FROM = 12

export const Picker = ({ hint, label, name, none, options }: PickerProps) => {
  const id = useId()
  const select = useRef<HTMLSelectElement>(null)
  const [typed, setTyped] = useState("")
  const all = options ?? []
  const isLong = all.length > SEARCH_FROM
  const found = optionsMatching(all, isLong ? typed : "")
  const instead = options === undefined ? "Loading" : all.length === 0 ? none : "No match"
  const shown = found.length === 0 ? [["", instead] as const] : found
  return (
    <FieldFrame id={id} name={name} label={label} hint={hint}>
      {isLong && (
        <input
          type="search"
          aria-label={`Filter: ${label}`}
          aria-describedby={`${id}-count`}
          placeholder="Type to filter"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" && event.key !== "ArrowDown") return
            // Moves on to the select instead of submitting the form.
            event.preventDefault()
            select.current?.focus()
          }}
        />
      )}
      <select ref={select} id={id} name={name} aria-describedby={hint === undefined ? undefined : `${id}-hint`}>
        {shown.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      {isLong && (
        <p class="hint" id={`${id}-count`} role="status">
          {`${found.length} of ${all.length < MAX_OPTIONS ? all.length : `the newest ${all.length}`}`}
        </p>
      )}
    </FieldFrame>
  )
}

/** Beneficiaries that are paid in this currency. */
export const BeneficiaryPicker = ({ currency }: { readonly currency: string }) => {
  const { data } = useOrgItems("beneficiaries", "list")
  const options = data
    ?.filter((beneficiary) => beneficiary.currency === currency)
    .map(({ beneficiary_id, fname, lname }) => [beneficiary_id, `${fname} ${lname}`] as const)
  return <Picker name="beneficiary_id" label="Beneficiary" options={options} none={`No beneficiary in ${currency}`} />
}
