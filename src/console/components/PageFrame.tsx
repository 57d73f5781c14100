import { type ComponentChildren, createContext } from "preact"
import { useContext, useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { route } from "../state/HashRouter.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

/** Loads the surrounding data again, after an action. */
export const Reload = createContext<() => void>(() => undefined)

interface PageProps {
  readonly title: string
  /** Link to the list above this page. */
  readonly above?: readonly [href: string, name: string]
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  /** Called after an action of the page. */
  readonly reload?: () => void
  readonly children: ComponentChildren
}

/** Frame of every page. Moves the focus to the heading, so that screen readers announce the page. */
export const Page = ({ above, actions, children, lead, reload, title }: PageProps) => {
  const inherited = useContext(Reload)
  const heading = useRef<HTMLHeadingElement>(null)
  const { path } = route.value
  useEffect(() => {
    document.title = `${isolatedName(title)} · Corridor`
  }, [title])
  // Before paint, so that the focus is not taken from a field.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [path])
  return (
    <Reload.Provider value={reload ?? inherited}>
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
    </Reload.Provider>
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
  /** Address of the page; the tabs are below it. */
  readonly at: string
  readonly tabs: ReadonlyArray<readonly [path: string, words: string]>
  readonly current: string
}

/** Tabs, each with its own address. */
export const Tabs = ({ at, current, name, tabs }: TabsProps) => (
  <nav class="tabs" aria-label={name}>
    {tabs.map(([path, words]) => (
      <a key={path} href={`#/${at}/${path}`} aria-current={path === current ? "page" : undefined}>
        {words}
      </a>
    ))}
  </nav>
)
