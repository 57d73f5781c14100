/** The search over everything in the reference, by mouse and by keyboard. */
import { useMemo, useState } from "preact/hooks"
import { find, indexOf } from "../document/Search.ts"
import { type Reference, searchOpen } from "../state/State.ts"
import { Dialog } from "./Dialog.tsx"
import { Method } from "./Method.tsx"

const optionId = (at: number): string => `found-${at}`

export const SearchBox = ({
  goTo,
  reference
}: {
  readonly reference: Reference
  readonly goTo: (id: string) => void
}) => {
  const index = useMemo(() => indexOf(reference.groups), [reference])
  const [query, setQuery] = useState("")
  const [at, setAt] = useState(0)
  const found = find(index, query)

  const choose = (which: number) => {
    const chosen = found[which]
    if (chosen === undefined) return
    searchOpen.value = false
    // What stands over the page would hide what was chosen.
    for (const dialog of document.querySelectorAll("dialog")) dialog.close()
    goTo(chosen.entry.id)
  }

  const move = (to: number) => {
    setAt(to)
    document.getElementById(optionId(to))?.scrollIntoView({ block: "nearest" })
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(Math.min(at + 1, found.length - 1))
    else if (event.key === "ArrowUp") move(Math.max(at - 1, 0))
    else if (event.key === "Enter") choose(at)
    else return
    event.preventDefault()
  }

  return (
    <Dialog kind="search-box" label="Search the reference" close={() => (searchOpen.value = false)}>
      <input
        type="text"
        role="combobox"
        aria-label="Search the reference"
        aria-controls="found"
        aria-expanded={found.length > 0}
        aria-activedescendant={found.length > 0 ? optionId(at) : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="An operation, a path, a field, an event"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="found" role="listbox" aria-label="Found">
        {found.map(({ action, entry, group }, place) => (
          <li
            key={entry.id}
            id={optionId(place)}
            role="option"
            aria-selected={place === at}
            onClick={() => choose(place)}
            onMouseMove={() => setAt(place)}
          >
            <span>
              {entry.title}
              {action !== undefined && (
                <>
                  : <code>{action}</code>
                </>
              )}
            </span>
            <small>
              {entry.kind === "operation" ? (
                <>
                  <Method of={entry.method} /> {entry.path}
                </>
              ) : (
                group
              )}
            </small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">Nothing has these words.</p>}
    </Dialog>
  )
}
