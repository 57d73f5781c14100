import type { ComponentChildren } from "preact"
import type { Loaded } from "../state/Load.ts"
import { Awaited } from "./Awaited.tsx"
import { Page } from "./Page.tsx"

interface Props<A> {
  /** Until it is known what the page is about. */
  readonly title: string
  readonly above: readonly [href: string, name: string]
  readonly loaded: Loaded<A>
  readonly children: (data: A) => ComponentChildren
}

/** A page about one thing, which has its own title as soon as the thing is there. */
export const LoadedPage = <A,>({ above, children, loaded, title }: Props<A>) =>
  loaded.data === undefined ? (
    <Page title={title} above={above}>
      <Awaited loaded={loaded} lines={10}>
        {() => null}
      </Awaited>
    </Page>
  ) : (
    <>{children(loaded.data)}</>
  )
