/** Select with a filter field for long lists. */
import { useId, useRef, useState } from "preact/hooks"
import { MAX_OPTIONS, useOrgItems } from "../state/LoadHooks.ts"
import { optionsMatching } from "../state/TypedInput.ts"

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
    <div class="field">
      <label for={id}>{label}</label>
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
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isLong && (
        <p class="hint" id={`${id}-count`} role="status">
          {`${found.length} of ${all.length < MAX_OPTIONS ? all.length : `the newest ${all.length}`}`}
        </p>
      )}
    </div>
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
