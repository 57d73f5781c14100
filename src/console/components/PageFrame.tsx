import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { route } from "../state/HashRouter.ts"

interface PageProps {
  readonly title: string
  /** Link to the list above this page. */
  readonly above?: readonly [href: string, name: string]
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Frame of every page. Moves the focus to the heading, so that screen readers announce the page. */
export const Page = ({ above, actions, children, lead, title }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const { path } = route.value
  useEffect(() => {
    document.title = `${title} · Corridor`
  }, [title])
  // Before paint, so that the focus is not taken from a field.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [path])
  return (
    <>
      <header class="page-head">
        <div>
          {above !== undefined && (
            <p class="above">
              <a href={above[0]}>{above[1]}</a>
            </p>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <div class="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface CardProps {
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export const Card = ({ actions, children, note, title }: CardProps) => (
  <section class="card">
    <header>
      <h2>{title}</h2>
      {note !== undefined && <p class="muted">{note}</p>}
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
)

interface TabsProps {
  readonly name: string
  readonly tabs: ReadonlyArray<readonly [href: string, words: string, here: boolean]>
}

/** Tabs, each with its own address. */
export const Tabs = ({ name, tabs }: TabsProps) => (
  <nav class="tabs" aria-label={name}>
    {tabs.map(([href, words, here]) => (
      <a key={href} href={href} aria-current={here ? "page" : undefined}>
        {words}
      </a>
    ))}
  </nav>
)
