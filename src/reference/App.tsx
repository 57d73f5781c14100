/** The whole reference on one page: contents, introduction, operations by group, events and models. */
import { useComputed } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Entry, Group } from "./document/Contents.ts"
import { Contents } from "./parts/Contents.tsx"
import { Credentials } from "./parts/Credentials.tsx"
import { Markdown } from "./parts/Markdown.tsx"
import { OperationSection } from "./parts/OperationSection.tsx"
import { SchemaSection } from "./parts/SchemaSection.tsx"
import { SearchBox } from "./parts/SearchBox.tsx"
import { isSearchKey } from "./parts/SearchKey.ts"
import { drawRest, followAddress, goTo } from "./state/Place.ts"
import { drawn, menuOpen, type Reference, searchOpen } from "./state/State.ts"

const EntryOf = ({ entry, reference }: { readonly reference: Reference; readonly entry: Entry }) => {
  if (entry.kind === "schema") return <SchemaSection reference={reference} entry={entry} />
  if (entry.kind !== "text") return <OperationSection reference={reference} entry={entry} />
  return (
    <section id={entry.id} class="entry" aria-label={entry.title}>
      <div class="told">
        <h2>{entry.title}</h2>
        <Markdown text={entry.markdown} />
      </div>
    </section>
  )
}

const Introduction = ({ group, reference }: { readonly reference: Reference; readonly group: Group }) => (
  <div id={group.id} class="introduction">
    <div class="told">
      <p class="version">
        Version {reference.document.info.version} ·{" "}
        <a href="./openapi.json" download="openapi.json">
          Download the OpenAPI document
        </a>
      </p>
      <h1>{reference.document.info.title}</h1>
      <Markdown text={group.description} />
    </div>
    <div class="samples">
      <div class="card">
        <div class="bar">
          <h2>Your credentials</h2>
        </div>
        <Credentials />
        <p class="empty">
          For the test requests of this page, which go to <code>{reference.server}</code> on this server. They are kept
          nowhere.
        </p>
      </div>
    </div>
  </div>
)

interface GroupProps {
  readonly reference: Reference
  readonly group: Group
  readonly at: number
}

const GroupPart = ({ at, group, reference }: GroupProps) => {
  const isDrawn = useComputed(() => drawn.value > at)
  return isDrawn.value ? (
    <div class="group-of">
      <header id={group.id} class="group">
        <h2>{group.title}</h2>
        <Markdown text={group.description} />
      </header>
      {group.entries.map((entry) => (
        <EntryOf key={entry.id} reference={reference} entry={entry} />
      ))}
    </div>
  ) : null
}

/** Escape closes the menu, unless there is a window over the page, which it closes first. */
const isForMenu = ({ key }: KeyboardEvent): boolean =>
  key === "Escape" && menuOpen.value && document.querySelector("dialog[open]") === null

const TopBar = ({ title }: { readonly title: string }) => {
  const menuButton = useRef<HTMLButtonElement>(null)
  useEffect(
    () =>
      addEventListener("keydown", (event) => {
        if (!isForMenu(event)) return
        menuOpen.value = false
        menuButton.current?.focus()
      }),
    []
  )
  return (
    <header class="top">
      <strong>{title}</strong>
      <button type="button" aria-label="Search the reference" onClick={() => (searchOpen.value = true)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" />
          <path d="m10.5 10.5 3.5 3.5" />
        </svg>
      </button>
      <button
        ref={menuButton}
        type="button"
        aria-label={menuOpen.value ? "Close the menu" : "Open the menu"}
        aria-expanded={menuOpen.value}
        aria-controls="contents"
        onClick={() => (menuOpen.value = !menuOpen.value)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
      </button>
    </header>
  )
}

export const App = ({ reference }: { readonly reference: Reference }) => {
  const [introduction, ...groups] = reference.groups
  useEffect(() => {
    followAddress()
    drawRest(groups.length)
    addEventListener("keydown", (event) => {
      if (!isSearchKey(event)) return
      event.preventDefault()
      searchOpen.value = true
    })
  }, [])
  return (
    <>
      <TopBar title={reference.document.info.title} />
      <Contents reference={reference} />
      <main>
        {introduction !== undefined && <Introduction reference={reference} group={introduction} />}
        {introduction?.entries.map((entry) => (
          <EntryOf key={entry.id} reference={reference} entry={entry} />
        ))}
        {groups.map((group, at) => (
          <GroupPart key={group.id} reference={reference} group={group} at={at} />
        ))}
      </main>
      {searchOpen.value && <SearchBox reference={reference} goTo={goTo} />}
    </>
  )
}
