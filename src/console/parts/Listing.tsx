import type { ComponentChildren } from "preact"
import type { Listed } from "../state/Pages.ts"
import { Button } from "./Button.tsx"
import { ProblemNote } from "./ProblemNote.tsx"
import { Skeleton } from "./Skeleton.tsx"

interface Props<A> {
  readonly list: Listed<A>
  readonly empty: ComponentChildren
  readonly children: (items: ReadonlyArray<A>) => ComponentChildren
}

/** Whatever is listed: on its way, not to be had, nothing, or there with more behind it. */
export const Listing = <A,>({ children, empty, list }: Props<A>) => {
  const { items, loading, more, problem, reload } = list
  return (
    <div class="listing" aria-busy={loading}>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {items === undefined
        ? problem === undefined && <Skeleton lines={8} />
        : items.length === 0
          ? empty
          : children(items)}
      {more !== undefined && (
        <p class="more">
          <Button busy={loading} onClick={more}>
            Show more
          </Button>
        </p>
      )}
    </div>
  )
}
