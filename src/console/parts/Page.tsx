import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { route } from "../state/Router.ts"

interface Props {
  readonly title: string
  /** Where it belongs: its list. */
  readonly above?: readonly [href: string, name: string]
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The frame of every page. Whoever hears it is told where they have come to. */
export const Page = ({ above, actions, children, lead, title }: Props) => {
  const heading = useRef<HTMLHeadingElement>(null)
  const { path } = route.value
  useEffect(() => {
    document.title = `${title} · Corridor`
  }, [title])
  // At once, or it would be taken from the field that somebody has gone to meanwhile.
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
