/** A choice of one out of many: all of them are offered, and what is typed narrows them down. */
import { useId, useRef, useState } from "preact/hooks"
import { MOST_OFFERED } from "../state/All.ts"
import { narrowed } from "../state/Narrowed.ts"

interface Props {
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** undefined: not there yet. */
  readonly options: ReadonlyArray<readonly [value: string, words: string]> | undefined
  /** Said where there is nothing to choose. */
  readonly none: string
}

/** So many are seen at a glance. */
const FEW = 12

export const Picker = ({ hint, label, name, none, options }: Props) => {
  const id = useId()
  const select = useRef<HTMLSelectElement>(null)
  const [typed, setTyped] = useState("")
  const all = options ?? []
  const isLong = all.length > FEW
  const found = narrowed(all, isLong ? typed : "")
  const instead = options === undefined ? "Loading" : all.length === 0 ? none : "Nothing is called that"
  const shown = found.length === 0 ? [["", instead] as const] : found
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isLong && (
        <input
          type="search"
          aria-label={`Narrow down: ${label}`}
          aria-describedby={`${id}-count`}
          placeholder="Type to narrow down"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" && event.key !== "ArrowDown") return
            // Whoever has found something goes on to it, and sends nothing yet.
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
          {`${found.length} of ${all.length < MOST_OFFERED ? all.length : `the newest ${all.length}`}`}
        </p>
      )}
    </div>
  )
}
