/** The contents beside the text: groups that open, and the place where the reader is. */
import { signal, useSignalEffect } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Entry, Group } from "../document/Contents.ts"
import { current, menuOpen, type Reference, searchOpen } from "../state/State.ts"
import { Method } from "./Method.tsx"

const opened = signal<ReadonlySet<string>>(new Set())

const toggle = (id: string): void => {
  const next = new Set(opened.value)
  if (!next.delete(id)) next.add(id)
  opened.value = next
}

const EntryLink = ({ entry }: { readonly entry: Entry }) => (
  <li>
    <a href={`#${entry.id}`} aria-current={current.value === entry.id ? "location" : undefined}>
      <span>{entry.title}</span>
      {entry.kind === "operation" && <Method of={entry.method} />}
    </a>
  </li>
)

const GroupOf = ({ group }: { readonly group: Group }) => {
  const open = opened.value.has(group.id)
  return (
    <li>
      <button type="button" aria-expanded={open} onClick={() => toggle(group.id)}>
        {group.title}
      </button>
      {open && (
        <ul>
          {group.entries.map((entry) => (
            <EntryLink key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** The group of what is being read opens by itself, and its line is kept in sight. */
const useFollowing = (groups: ReadonlyArray<Group>) => {
  const ref = useRef<HTMLElement>(null)
  useSignalEffect(() => {
    const id = current.value
    const group = groups.find(({ entries }) => entries.some((entry) => entry.id === id))
    if (group === undefined) return
    if (!opened.peek().has(group.id)) toggle(group.id)
    requestAnimationFrame(() => {
      const [list, line] = [ref.current, ref.current?.querySelector<HTMLElement>("[aria-current]")]
      if (list === null || line === null || line === undefined) return
      const [outer, inner] = [list.getBoundingClientRect(), line.getBoundingClientRect()]
      if (inner.top < outer.top || inner.bottom > outer.bottom)
        list.scrollTop += inner.top - outer.top - outer.height / 3
    })
  })
  return ref
}

/** So that a reader sees what an entry looks like. */
const openFirst = ([, first]: ReadonlyArray<Group>): void => {
  if (first !== undefined && !opened.value.has(first.id)) toggle(first.id)
}

export const Contents = ({ reference }: { readonly reference: Reference }) => {
  useEffect(() => openFirst(reference.groups), [])
  const ref = useFollowing(reference.groups)
  return (
    <aside id="contents" class={menuOpen.value ? "open" : ""}>
      <button type="button" class="search" onClick={() => (searchOpen.value = true)}>
        <span>Search</span> <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Contents" ref={ref}>
        <ul>
          {reference.groups.map((group) => (
            <GroupOf key={group.id} group={group} />
          ))}
        </ul>
      </nav>
    </aside>
  )
}
